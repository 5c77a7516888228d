/** @jsxImportSource preact */
/** Renders the uploader of a request's page, in place of the form that works without JavaScript, and the names on the receipt of an encrypted one. */
import { render } from "preact";
import { receive as texts } from "#texts/requests";
import { readRecipientFragment } from "../../../src/contract/age-recipient.ts";
import { replaceForm } from "../../sending/browser/replace-form.ts";
import { RequestSender } from "./request-sender.tsx";

const root = document.getElementById("request");
const { token, unlockToken, maxBytes, isFileLimited, scanned, site, encryptTo } = root?.dataset ?? {};
const { hash } = location;

// The page behind the code, in another language, and to which the receipt leads, compares the key in the link too.
for (const form of document.querySelectorAll<HTMLFormElement>("form.unlock, form[data-keep-key]")) form.action += hash;
for (const link of document.querySelectorAll<HTMLAnchorElement>(".foot a[hreflang], a[data-keep-key]")) link.hash = hash;

document.getElementById("receipt-link")?.append(hash);

const receipt = document.querySelector<HTMLElement>("#receipt[data-submission]");
if (receipt) void import("./receipt-names.ts").then(({ showSentNames }) => showSentNames(receipt));

/** Returns the reason why nothing may be sent: a damaged key in the link, or another one than the server names. */
function findKeyProblem(): string | undefined {
  const linkKey = readRecipientFragment(hash);
  if (linkKey === null) return texts.damagedKey;
  return linkKey === undefined || linkKey === encryptTo ? undefined : texts.otherKey;
}

const problem = findKeyProblem();
if (root && token && problem !== undefined) {
  root.replaceChildren();
  render(
    <p class="card problem" role="alert">
      {problem}
    </p>,
    root,
  );
} else if (root && token) {
  replaceForm(root, (files) =>
    render(
      <RequestSender
        files={files}
        token={token}
        unlockToken={unlockToken}
        siteUrl={site ?? location.origin}
        maxBytes={Number(maxBytes)}
        isFileLimited={isFileLimited !== undefined}
        isScanned={scanned === "true"}
        encryptTo={encryptTo}
      />,
      root,
    ),
  );
}
