/** @jsxImportSource preact */
/** Renders the front page's uploader, in place of the form that works without JavaScript. */
import { render } from "preact";
import { replaceForm } from "../../sending/browser/replace-form.ts";
import { Sender } from "./sender.tsx";

const root = document.getElementById("send");
const { maxBytes, accountBytes, leftBytes, longestMs, kept, encrypts, site } = root?.dataset ?? {};
if (root) {
  replaceForm(root, (files) =>
    render(
      <Sender
        files={files}
        siteUrl={site ?? location.origin}
        maxBytes={Number(maxBytes)}
        accountBytes={accountBytes === undefined ? undefined : Number(accountBytes)}
        leftBytes={leftBytes === undefined ? undefined : Number(leftBytes)}
        canEncrypt={encrypts === "true"}
        retention={{ longestMs: Number(longestMs), isKept: kept !== undefined }}
      />,
      root,
    ),
  );
}
