/** @jsxImportSource preact */
/** The uploader of a request's page, in place of the form that works without JavaScript. */
import { render } from "preact";
import { RequestSender } from "./request-sender.tsx";

const root = document.getElementById("request");
const { token, unlockToken, maxBytes, scanned, site } = root?.dataset ?? {};
if (root && token) {
  const field = root.querySelector<HTMLInputElement>("#file");
  // Files that were chosen before this script was loaded.
  const files = [...(field?.files ?? [])];
  root.replaceChildren();
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
  );
}
