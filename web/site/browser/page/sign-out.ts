import { signOut as texts } from "#texts/site";
import { mayKnowShares } from "../device/may-know-shares.ts";
import { countRequestKeys, forgetRequestKeys } from "../device/request-keys.ts";
import { countAccountKeys, forgetAccountShares } from "../device/shares.ts";
import { getAccountId } from "./signed-in.ts";

/**
 * Makes this device forget the account's shares before its person is signed out (pages, "What a device remembers"). Asks first if keys of encrypted
 * shares or requests would be lost, which the server does not have.
 */
export async function forgetAndSignOut(form: HTMLFormElement): Promise<void> {
  const choice = await forget().catch(() => "forget");
  if (choice !== "stay") form.submit();
}

type Choice = "keep" | "forget" | "stay";

async function forget(): Promise<Choice> {
  const accountId = getAccountId();
  const knowsShares = await mayKnowShares();
  const keys = knowsShares ? await countAccountKeys(accountId) : 0;
  const requestKeys = countRequestKeys(accountId);
  const questions = [keys > 0 && texts.keys(keys), requestKeys > 0 && texts.requestKeys(requestKeys)].filter((text) => text !== false);
  const choice = questions.length === 0 ? "forget" : await ask(questions.join(" "));
  if (choice === "stay") return choice;
  // Without a question, this browser has at most public keys, which the next request of the account uses.
  if (choice === "forget" && questions.length > 0) forgetRequestKeys(accountId);
  if (knowsShares) await forgetAccountShares(accountId, { keepsKeys: choice === "keep" });
  return choice;
}

function ask(question: string): Promise<Choice> {
  const [dialog, title, text, choices] = [
    document.createElement("dialog"),
    document.createElement("h2"),
    document.createElement("p"),
    document.createElement("p"),
  ];
  Object.assign(title, { id: "sign-out-title", textContent: texts.title });
  Object.assign(text, { id: "sign-out-text", textContent: question });
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
