/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import type { AdminFileView } from "../../../src/service/administration/files-contract.ts";
import { NameTile } from "../../files/entry-row.tsx";
import { formatExactDate, formatShortDate } from "../../files/short-date.ts";
import { toShownName } from "../../files/shown-name.ts";
import { FileName } from "../../site/file-name.tsx";
import { MoreIcon } from "../../site/icons.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { Ask } from "../../site/panel.tsx";
import { toFileState } from "../admin-file.tsx";
import { BlockField, DecisionQuestion, PublicReasonField } from "../decision-form.tsx";
import { userPath } from "../paths.ts";
import { SELECTION } from "./selected-files.tsx";

export interface FileRowProps {
  readonly page: PageContext;
  readonly file: AdminFileView;
  readonly thumbnail: { readonly url: string } | undefined;
  /** The path of the list, to which the forms post. */
  readonly path: string;
  readonly nowMs: number;
  /** Whether the server has a malware scanner. */
  readonly canScan: boolean;
}

/** Renders a file of the list with its state, its owner and the menu of its actions. */
export function FileRow(props: FileRowProps) {
  const { page, file, thumbnail, nowMs } = props;
  const { moderation } = page.texts;
  const { language, timeZone } = page;
  const state = toFileState(page.texts, file);
  const size = formatSize(file.sizeBytes, language);
  const timeMs = Date.parse(file.createdAt);
  const added = formatShortDate(timeMs, nowMs, language, timeZone);
  const owner = ownerName(page, file);
  const name = toShownName(file, page.texts.files);
  return (
    <div role="row" class="files-row">
      <div role="cell" class="files-pick">
        <label>
          <input type="checkbox" name="file" value={file.id} form={SELECTION} aria-label={`${moderation.select}: ${name}`} />
        </label>
      </div>
      <div role="cell" class="files-name">
        <span class="files-picture" aria-hidden="true">
          {thumbnail === undefined ? <NameTile file={file} /> : <img src={thumbnail.url} alt="" loading="lazy" decoding="async" />}
        </span>
        <span class="files-text">
          {file.isOpen ? (
            <a class="files-link" href={sharePath(file)} title={name}>
              <FileName name={name} />
            </a>
          ) : (
            <span class="files-link" title={name}>
              <FileName name={name} />
            </span>
          )}
          <span class={state === undefined ? "files-sub quiet plain" : "files-sub quiet"} title={state?.text}>
            {state === undefined ? null : <span class={`files-word ${state.tone}`}>{state.text}</span>}
            <span class="files-sub-facts">
              {state === undefined ? null : " · "}
              {[size, added, ...(file.owner === null ? [] : [owner])].join(" · ")}
            </span>
          </span>
        </span>
      </div>
      <div role="cell" class="files-owner" title={file.owner === null ? undefined : owner}>
        {file.owner === null ? null : file.owner.email === null ? (
          owner
        ) : (
          <a href={userPath(file.owner.id)}>
            <bdi>{owner}</bdi>
          </a>
        )}
      </div>
      <div role="cell" class="files-size">
        {size}
      </div>
      <div role="cell" class="files-date">
        <span title={formatExactDate(timeMs, language, timeZone)}>{added}</span>
      </div>
      <div role="cell" class="files-tools">
        <FileMenu {...props} />
      </div>
    </div>
  );
}

const sharePath = ({ shortId }: AdminFileView): string => `/d/${encodeURIComponent(shortId)}`;

/** Returns the address of the owner, with a label unless it is known to belong to the account. */
function ownerName({ texts }: PageContext, { owner }: AdminFileView): string {
  if (owner === null || owner.email === null) return texts.moderation.deletedOwner;
  return owner.emailVerified ? owner.email : `${owner.email} (${texts.adminUser.unverified})`;
}

/** Returns the consequence of a takedown, with the other shares that the file is in. */
function takedownText(moderation: PageContext["texts"]["moderation"], { otherPlaces, otherPlaceCount }: AdminFileView): string {
  if (otherPlaceCount === 0) return moderation.takeDownFileText;
  const named = otherPlaces.map(({ shortId }) => shortId).join(", ");
  return `${moderation.takeDownFileText} ${moderation.takeDownOthers(otherPlaceCount, named)}`;
}

/** Renders the menu of a file. A question opens in the menu, in place of the other actions. */
function FileMenu({ page: { texts }, file, path, canScan }: FileRowProps) {
  const { moderation } = texts;
  const about = toShownName(file, texts.files);
  const isTakenDown = file.status === "dmca_removed";
  const canRescan = canScan && file.status === "active" && file.hasBytes;
  const hasAccount = file.owner !== null && file.owner.email !== null;
  const canDecide = !isTakenDown || file.hasBytes;
  if (!file.isOpen && !hasAccount && !canRescan && !canDecide) return null;
  return (
    <details class="menu-opener" name="file-menu">
      <summary class="files-tool" title={moderation.actions} aria-label={`${moderation.actions}: ${about}`}>
        <MoreIcon />
      </summary>
      <div class="menu">
        <p class="menu-title">
          <bdi>{about}</bdi>
        </p>
        {file.isOpen ? (
          <a class="menu-item" href={sharePath(file)}>
            {moderation.openShare}
          </a>
        ) : null}
        {hasAccount ? (
          <a class="menu-item" href={userPath(file.owner?.id ?? "")}>
            {moderation.ownerAccount}
          </a>
        ) : null}
        {canRescan ? (
          <Ask
            isMenuItem
            label={moderation.rescan}
            about={about}
            path={path}
            fields={{ action: "rescan", file: file.id }}
            text={moderation.rescanText}
            confirm={moderation.rescan}
          />
        ) : null}
        {canDecide && isTakenDown ? (
          <Ask
            isMenuItem
            label={moderation.restore}
            about={about}
            path={path}
            fields={{ action: "restore", file: file.id }}
            text={moderation.restoreText}
            confirm={moderation.restore}
          />
        ) : null}
        {isTakenDown ? null : (
          <DecisionQuestion
            isMenuItem
            texts={texts}
            label={moderation.takeDown}
            about={about}
            dialog={{ title: moderation.takeDownTitle(about), cancel: moderation.cancel }}
            text={takedownText(moderation, file)}
            path={path}
            fields={{ action: "takedown", file: file.id }}
            tone="danger"
          >
            <PublicReasonField texts={texts} />
            <BlockField texts={texts} />
          </DecisionQuestion>
        )}
      </div>
    </details>
  );
}
