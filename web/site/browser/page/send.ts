import { page as texts } from "#texts/site";
import { announce } from "../components/announce.ts";
import { parsePage, showPage } from "./main-element.ts";

/** The largest number of tries, because the required difficulty may rise while a proof is computed. */
const MAX_PROOF_TRIES = 6;

/** Sends a form, with additional fields. Resolves to a page. */
export function send(form: HTMLFormElement, fields: Readonly<Record<string, string>> = {}, action = form.action): Promise<Response> {
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return fetch(action, { method: "POST", body, headers: { Accept: "text/html" } });
}

/** Sends a form and shows the response without a page load. */
export async function sendInPlace(form: HTMLFormElement): Promise<void> {
  try {
    showPage(await sendWithProof(form), { isFormResponse: true });
  } catch {
    // The browser sends the form, and reports the error of the connection.
    form.submit();
  }
}

/** Sends the form, and repeats it with a proof of work if the response requires one. Resolves to a page. */
async function sendWithProof(form: HTMLFormElement): Promise<string> {
  let { challenge, difficulty } = form.dataset;
  let html = "";
  for (let tries = 0; tries < MAX_PROOF_TRIES; tries += 1) {
    const proof = challenge && difficulty ? await computeProof(form, challenge, Number(difficulty)) : {};
    html = await (await send(form, proof)).text();
    const next = parsePage(html).querySelector<HTMLFormElement>("form[data-challenge]");
    if (!next) break;
    ({ challenge, difficulty } = next.dataset);
  }
  return html;
}

async function computeProof(form: HTMLFormElement, challengeId: string, difficulty: number): Promise<Record<string, string>> {
  const button = form.querySelector("button");
  if (button) {
    button.disabled = true;
    button.textContent = texts.checking;
  }
  announce(texts.checking);
  const { findNonce } = await import("../proof-of-work.browser.js");
  return { challengeId, nonce: await findNonce(challengeId, difficulty) };
}
