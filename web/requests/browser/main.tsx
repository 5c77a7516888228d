/** @jsxImportSource preact */
/** Renders the uploader of a request's page, in place of the form that works without JavaScript. */
import { render } from "preact";
import { replaceForm } from "../../sending/browser/replace-form.ts";
import { RequestSender } from "./request-sender.tsx";

const root = document.getElementById("request");
const { token, unlockToken, maxBytes, scanned, site } = root?.dataset ?? {};
if (root && token) {
  replaceForm(root, (files) =>
    render(
      <RequestSender
        files={files}
        token={token}
        unlockToken={unlockToken}
        siteUrl={site ?? location.origin}
        maxBytes={Number(maxBytes)}
        isScanned={scanned === "true"}
      />,
      root,
    ),
  );
}
