/** @jsxImportSource preact */
import { files as texts } from "#texts/files";
import { shares as shareTexts } from "#texts/shares";
import { toShareName } from "../../../shares/share-row.ts";
import { FormDialog } from "../../../site/browser/components/form-dialog.tsx";
import type { DeletionPreview } from "../calls.ts";

export interface DeleteDialogProps {
  readonly preview: DeletionPreview;
  /** All chosen entries, in words. */
  readonly what: string;
  onDelete(): void;
  onClose(): void;
}

/** Maximum number of links that the dialog names of each kind. */
const MAX_NAMED = 3;

type LosingLink = DeletionPreview["links"][number];

/** Renders the question before a deletion that ends links or takes files out of them, which names the links and who has them. */
export function DeleteDialog({ preview: { filesInside, ending, shrinking, links }, what, onDelete, onClose }: DeleteDialogProps) {
  return (
    <FormDialog
      title={texts.deleteTitle(what, filesInside)}
      submit={texts.delete}
      cancel={texts.cancel}
      tone="danger"
      onSubmit={async () => onDelete()}
      onClose={onClose}
    >
      {ending === 0 ? null : (
        <>
          <p>{texts.linksEnd(ending)}</p>
          <Links links={links.filter(({ remaining }) => remaining === 0)} count={ending} />
        </>
      )}
      {shrinking === 0 ? null : (
        <>
          <p>{texts.linksShrink(shrinking)}</p>
          <Links links={links.filter(({ remaining }) => remaining > 0)} count={shrinking} />
        </>
      )}
    </FormDialog>
  );
}

function Links({ links, count }: { readonly links: readonly LosingLink[]; readonly count: number }) {
  const named = links.slice(0, MAX_NAMED);
  return (
    <ul class="files-losses">
      {named.map((link) => (
        <li key={link.shortId}>
          <bdi>{toShareName(link, { shares: shareTexts })}</bdi>
          <Facts {...link} />
        </li>
      ))}
      {count > named.length ? <li>{texts.moreLinks(count - named.length)}</li> : null}
    </ul>
  );
}

/** Says who has a link, and how many of its files stay. */
function Facts({ recipients, visibility, files, remaining }: LosingLink) {
  const facts = [
    recipients && shareTexts.sentTo(shareTexts.recipients(recipients.address, recipients.others)),
    visibility === "public" && shareTexts.public,
    remaining > 0 && texts.filesStay(remaining, files),
  ].filter((fact) => fact !== null && fact !== false);
  return facts.length === 0 ? null : <span class="quiet"> · {facts.join(" · ")}</span>;
}
