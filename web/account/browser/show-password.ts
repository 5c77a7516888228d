import { showPassword as texts } from "#texts/site";
import { announce } from "../../site/browser/components/announce.ts";

/** Adds a button to each password, which shows and hides it. A form is sent with hidden passwords, so that browsers recognize them. */
export function addPasswordButtons(main: HTMLElement): void {
  for (const box of main.querySelectorAll<HTMLElement>("[data-password]")) {
    const input = box.querySelector("input");
    if (!input || box.querySelector("button")) continue;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "show-password" });
    const show = (isShown: boolean): void => {
      input.type = isShown ? "text" : "password";
      const { short, long } = isShown ? texts.hide : texts.show;
      button.replaceChildren(
        Object.assign(document.createElement("span"), { textContent: short, ariaHidden: "true" }),
        Object.assign(document.createElement("span"), { textContent: long, className: "unseen" }),
      );
    };
    button.addEventListener("click", () => {
      const isShown = input.type === "password";
      show(isShown);
      announce(isShown ? texts.shown : texts.hidden);
    });
    input.form?.addEventListener("submit", () => show(false));
    show(false);
    box.append(button);
  }
}
