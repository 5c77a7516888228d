/** @jsxImportSource preact */
import { LinkIcon, TickIcon } from "./icons.tsx";

export interface CopyLinkProps {
  /** The ID of the element with the link. */
  readonly id: string;
  readonly url: string;
  readonly label: string;
  /** What the link leads to, for screen readers. */
  readonly about: string;
}

/** Renders the button of a row that copies its link; on phones, only its icon is shown. Without scripts it is hidden. */
export const CopyLink = ({ id, url, label, about }: CopyLinkProps) => (
  <>
    <span id={id} hidden>
      {url}
    </span>
    <button class="button small copy-link" type="button" data-copy={id} title={label}>
      <span class="copy-word">{label}</span>
      <LinkIcon />
      <TickIcon />
      <span class="unseen"> {about}</span>
    </button>
  </>
);
