/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { files as texts } from "#texts/files";
import { errors } from "#texts/site";
import { hasBuyers } from "../../site/browser/api.ts";
import { CopyButton } from "../../site/browser/components/copy-button.tsx";
import { language } from "../../site/browser/components/format.ts";
import type { FileDetails } from "../file-details.ts";
import { formatExactDate } from "../short-date.ts";
import { deleteLink } from "./calls.ts";
import { describeLink } from "./describe-link.ts";

export interface LinkListProps {
  readonly file: FileDetails;
  /** Shows the file with the settings of another link. */
  onShow(fileId: string): void;
  /** Makes another link. */
  onShare(): void;
  /** Receives the ID of a remaining link after one was deleted. */
  onDeleted(next: string | undefined): void;
}

type Link = FileDetails["links"][number];

/** Renders the links of a file that has several, with their settings, and the button that makes another one. */
export function LinkList({ file, onShow, onShare, onDeleted }: LinkListProps) {
  const [problem, setProblem] = useState("");
  /** The link whose deletion the server refused because of buyers. The next press deletes it nevertheless. */
  const [soldId, setSoldId] = useState("");
  const remove = async (id: string): Promise<void> => {
    try {
      await deleteLink(id, { force: id === soldId });
      onDeleted(file.links.find((link) => link.id !== id)?.id);
    } catch (error) {
      setSoldId(hasBuyers(error) ? id : "");
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <section class="files-section">
      {file.linkCount > 1 ? <h3>{texts.links(file.linkCount)}</h3> : null}
      {problem === "" ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {file.links.length < 2 ? null : (
        <ul class="files-links">
          {file.links.map((link) => (
            <li key={link.id}>
              <a id={`link-${link.id}`} href={link.shareUrl}>
                <bdi>{describeLink(link)}</bdi>
              </a>
              <p class="quiet">{toFacts(link).join(" · ")}</p>
              <div class="files-actions">
                <CopyButton source={`link-${link.id}`} label={texts.copyLink} copiedLabel={texts.linkCopied} />
                {link.id === file.id ? (
                  <span class="quiet">{texts.shownAbove}</span>
                ) : (
                  <button class="button small" type="button" onClick={() => onShow(link.id)}>
                    {texts.showSettings}
                  </button>
                )}
                <button class="button small" type="button" disabled={link.immutable} onClick={() => void remove(link.id)}>
                  {link.id === soldId ? errors.nevertheless : texts.deleteLink}
                </button>
              </div>
            </li>
          ))}
        </ul>
      )}
      {file.linkCount > file.links.length ? <p class="quiet">{texts.moreLinks(file.linkCount - file.links.length)}</p> : null}
      <button class="button small" type="button" onClick={onShare}>
        {texts.anotherLink}
      </button>
    </section>
  );
}

const toFacts = (link: Link): string[] => [
  link.expiresAt === null ? texts.kept : texts.expires(formatExactDate(Date.parse(link.expiresAt), language)),
  texts.downloadsOf(link.downloads, link.maxDownloads),
  ...(link.unlockRequired ? [texts.protected] : []),
  ...(link.visibility === "public" ? [texts.public] : []),
  ...(link.immutable ? [texts.immutable] : []),
];
