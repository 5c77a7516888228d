import { signOut as texts } from "#texts/site";
import { mayKnowShares } from "../device/may-know-shares.ts";
import { countAccountKeys, forgetAccountShares } from "../device/shares.ts";
import { getAccountId } from "./signed-in.ts";

/**
 * Makes this device forget the account's shares before its person is signed out (pages, "What a device remembers"). Asks first if keys of encrypted
 * shares would be lost, which the server does not have.
 */
export async function forgetAndSignOut(form: HTMLFormElement): Promise<void> {
  const choice = await forget().catch(() => "forget");
  if (choice !== "stay") form.submit();
}

type Choice = "keep" | "forget" | "stay";

async function forget(): Promise<Choice> {
  if (!(await mayKnowShares())) return "forget";
  const accountId = getAccountId();
  const keys = await countAccountKeys(accountId);
  const choice = keys === 0 ? "forget" : await ask(keys);
  if (choice !== "stay") await forgetAccountShares(accountId, { keepsKeys: choice === "keep" });
  return choice;
}

function ask(keys: number): Promise<Choice> {
  const [dialog, title, text, choices] = [
    document.createElement("dialog"),
    document.createElement("h2"),
    document.createElement("p"),
    document.createElement("p"),
  ];
  Object.assign(title, { id: "sign-out-title", textContent: texts.title });
  Object.assign(text, { id: "sign-out-text", textContent: texts.keys(keys) });
  dialog.className = "card";
  dialog.setAttribute("aria-labelledby", title.id);
  dialog.setAttribute("aria-describedby", text.id);
  choices.className = "choices";
  for (const [choice, className] of [
    ["keep", "button"],
    ["forget", "button danger"],
    ["stay", "button plain"],
  ] as const) {
    const button = Object.assign(document.createElement("button"), { type: "button", className, textContent: texts[choice] });
    button.addEventListener("click", () => dialog.close(choice));
    choices.append(button);
  }
  dialog.append(title, text, choices);
  document.body.append(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const { returnValue } = dialog;
      dialog.remove();
      resolve(returnValue === "keep" || returnValue === "forget" ? returnValue : "stay");
    });
    dialog.showModal();
  });
}
