import { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import { passkeys as texts } from "#texts/account";
import type { PasskeyUse } from "../passkeys/passkey-use.ts";
import { PROVE_PATH } from "../paths.ts";
import { offerInAutofill } from "./autofill.ts";
import { fetchOptions, PasskeyRefused } from "./options.ts";

/** Enables the buttons for passkeys, or explains that this browser cannot use them here. */
export function improvePasskeyForms(main: HTMLElement): void {
  const canUse = canUsePasskeys();
  for (const missing of main.querySelectorAll<HTMLElement>("[data-passkey-missing]")) missing.hidden = canUse;
  if (!canUse) return;
  for (const form of main.querySelectorAll<HTMLFormElement>("form[data-passkey]")) {
    form.parentElement?.removeAttribute("hidden");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void send(form);
    });
    if (form.dataset.passkey === "sign-in") offerInAutofill((credential) => submit(form, credential));
  }
}

/** Whether the page can use passkeys. They belong to the site's host name, and need a secure context. */
function canUsePasskeys(): boolean {
  const site = URL.parse(document.body.dataset.site ?? "");
  const isAddress = /^[\d.]+$|^\[/.test(location.hostname);
  return typeof PublicKeyCredential === "function" && site?.origin === location.origin && !isAddress;
}

async function send(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector("button");
  button?.setAttribute("disabled", "");
  showProblem(form, undefined);
  try {
    submit(form, await requestCredential(form.dataset.passkey as PasskeyUse));
  } catch (error) {
    button?.removeAttribute("disabled");
    if (error instanceof PasskeyRefused && error.code === "PROOF_REQUIRED")
      return location.assign(`${PROVE_PATH}?next=${encodeURIComponent(location.pathname)}`);
    showProblem(form, toText(error));
    button?.focus();
  }
}

/** Gets a challenge from the server, which the browser signs. */
async function requestCredential(use: PasskeyUse): Promise<object> {
  return use === "add"
    ? await startRegistration({ optionsJSON: await fetchOptions("add") })
    : await startAuthentication({ optionsJSON: await fetchOptions(use) });
}

/** Submits the form with the credential. Its response is a page, as for other forms. */
function submit(form: HTMLFormElement, credential: object): void {
  const field = form.elements.namedItem("credential");
  if (field instanceof HTMLInputElement) field.value = JSON.stringify(credential);
  form.submit();
}

function showProblem(form: HTMLFormElement, text: string | undefined): void {
  const problem = form.querySelector<HTMLElement>("[role=alert]");
  if (!problem) return;
  problem.hidden = text === undefined;
  problem.textContent = text ?? "";
}

function toText(error: unknown): string {
  if (error instanceof PasskeyRefused) return error.message;
  const name = error instanceof Error ? error.name : "";
  if (name === "NotAllowedError" || name === "AbortError") return texts.problems.cancelled;
  return name === "InvalidStateError" ? texts.problems.already : texts.problems.failed;
}
