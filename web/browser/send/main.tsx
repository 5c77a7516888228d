/** @jsxImportSource preact */
/** The front page's uploader, in place of the form that works without JavaScript. */
import { render } from "preact";
import { Sender } from "./sender.tsx";

const root = document.getElementById("send");
const { maxBytes, retention, scanned, site } = root?.dataset ?? {};
if (root) {
  const field = root.querySelector<HTMLInputElement>("#file");
  // Files that were chosen before this script was loaded.
  const files = [...(field?.files ?? [])];
  root.replaceChildren();
  render(
    <Sender
      files={files}
      siteUrl={site ?? location.origin}
      maxBytes={Number(maxBytes)}
      isScanned={scanned === "true"}
      retentionMs={retention ? Number(retention) : null}
    />,
    root,
  );
}
