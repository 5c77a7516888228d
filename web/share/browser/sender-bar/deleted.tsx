/** @jsxImportSource preact */
import { render } from "preact";
import { senderBar as texts } from "#texts/share";
import { announce } from "../../../site/browser/components/announce.ts";
import { CheckIcon } from "../../../site/icons.tsx";
import { forgetBarSpace } from "./bar-space.ts";
import { withOtherLinks } from "./deletion-toast.tsx";
import { keepPage } from "./share-page.ts";

export interface DeletedProps {
  /** The number of other links that keep files of the share. */
  readonly otherLinks: number;
}

/** Says that the share was deleted, in place of its page. The server's page would ask its sender whether the link is complete. */
export function showDeleted(shortId: string, props: DeletedProps): void {
  forgetBarSpace(shortId);
  keepPage();
  document.title = texts.deleted;
  document.body.classList.remove("medium", "wide");
  document.body.classList.add("narrow");
  const main = Object.assign(document.createElement("main"), { id: "main", tabIndex: -1 });
  document.getElementById("main")?.replaceWith(main);
  render(<Deleted {...props} />, main);
  // Its space is for the bar.
  document.getElementById("sent")?.setAttribute("hidden", "");
  main.querySelector("h1")?.focus();
  announce(`${texts.deleted}. ${withOtherLinks(texts.deletedNote, props.otherLinks)}`);
}

const Deleted = ({ otherLinks }: DeletedProps) => (
  <section class="card message">
    <span class="badge good">
      <CheckIcon />
    </span>
    <h1 tabIndex={-1}>{texts.deleted}</h1>
    <p>{withOtherLinks(texts.deletedNote, otherLinks)}</p>
    <p class="actions">
      <a class="button" href="/">
        {texts.sendMore}
      </a>
    </p>
  </section>
);
