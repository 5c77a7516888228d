/** @jsxImportSource preact */
/** Renders the files of an account, in place of the list that works without JavaScript. */
import { render } from "preact";
import { enlargePhotos } from "../../share/browser/viewer/enlarge-photos.ts";
import { watchDialogSteps } from "../../site/browser/components/dialog-step.ts";
import { improveHeader } from "../../site/browser/page/header.ts";
import { explainInvalidFields } from "../../site/browser/page/invalid-fields.ts";
import { showOtherName } from "../../site/browser/page/other-name.ts";
import { type AppProps, FilesApp } from "./app.tsx";

const root = document.getElementById("files");
const { list, page } = root?.dataset ?? {};
improveHeader();
showOtherName();
watchDialogSteps();
enlargePhotos();
explainInvalidFields();
if (root && list) {
  const props = JSON.parse(list) as Omit<AppProps, "page">;
  root.replaceChildren();
  render(<FilesApp {...props} page={Number(page ?? 1)} />, root);
}
