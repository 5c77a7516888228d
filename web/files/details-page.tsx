/** @jsxImportSource preact */

import { formatSize } from "../../src/lib/format-size.ts";
import type { SellingFee } from "../../src/lib/selling-fee.ts";
import { describeFee, toPriceField } from "../sale/fee.ts";
import { Copyable } from "../share/share-components.tsx";
import { downloadsPath } from "../shares/paths.ts";
import { describeType } from "../site/file-types.ts";
import { formatDate, fullName, visibleText } from "../site/format.ts";
import { renderDocument } from "../site/layout.tsx";
import { NotifySelect } from "../site/notify-select.tsx";
import { Done, Problem } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import type { Credentials, FileDetails, RelatedFile } from "./file-details.ts";
import { isFileDownloadable, toScanText } from "./file-state.ts";
import { detailsPath, downloadPath, FILES_PATH, RUNS_PATH } from "./file-views.ts";
import { ShareSettingField, Switch, settingIds } from "./setting-field.tsx";

export interface DetailsPageProps {
  readonly file: FileDetails;
  readonly nowMs: number;
  /** The operator's fee, for an account that can sell. */
  readonly fee?: SellingFee | undefined;
  readonly credentials?: Credentials;
  readonly isSaved?: boolean;
  readonly problem?: string;
}

interface PartProps {
  readonly page: PageContext;
  readonly file: FileDetails;
}

/** Renders one file with the settings of its share, as forms: what the script shows beside the list. */
export function renderDetailsPage(page: PageContext, props: DetailsPageProps): string {
  const { file, nowMs, fee, credentials, isSaved, problem } = props;
  const { files: texts } = page.texts;
  const back = file.folderId === null ? FILES_PATH : `${FILES_PATH}/${encodeURIComponent(file.folderId)}`;
  return renderDocument(page, {
    title: fullName(file.name),
    width: "medium",
    styles: ["dashboard"],
    main: { "data-state": "file-details" },
    children: (
      <div class="file-details">
        <p>
          <a href={back}>{texts.back}</a>
        </p>
        <h1>
          <bdi>{fullName(file.name)}</bdi>
        </h1>
        {isSaved ? <Done>{texts.saved}.</Done> : null}
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        <Actions page={page} file={file} action={back} />
        {credentials?.unlockCode === undefined ? null : <Secrets page={page} credentials={credentials} />}
        <section class="card">
          <h2>{texts.link}</h2>
          {file.visibility === "private" ? (
            <p class="quiet">{texts.notSharedText}</p>
          ) : (
            <>
              <Copyable page={page} id="share-link" label={texts.link} text={file.shareUrl} />
              <div class="files-actions">
                <a class="button small" href={file.sharePath}>
                  {texts.openShare}
                </a>
                <a class="button small" href={downloadsPath(file.shortId)}>
                  {texts.downloads} ({file.downloads.toLocaleString(page.language)})
                </a>
              </div>
            </>
          )}
        </section>
        {file.visibility === "private" ? null : <Settings page={page} file={file} nowMs={nowMs} fee={fee} />}
        <Sources page={page} file={file} />
        <Facts page={page} file={file} />
      </div>
    ),
  });
}

/** By the forms of the list, which ask first. */
function Actions({ page: { texts }, file, action }: PartProps & { readonly action: string }) {
  const { files } = texts;
  const actions = [
    { name: "askRename", text: files.rename, isDisabled: file.immutable },
    { name: "askMove", text: files.move },
    { name: "askShare", text: files.share, isHidden: file.visibility !== "private" },
    { name: "askDelete", text: files.delete, isDisabled: file.immutable },
  ];
  return (
    <form class="files-actions" method="post" action={action}>
      <input type="hidden" name="file" value={file.id} />
      {isFileDownloadable(file) ? (
        <a class="button" href={downloadPath(file.id)} download="">
          {files.download}
        </a>
      ) : null}
      {actions.map(({ name, text, isDisabled, isHidden }) =>
        isHidden ? null : (
          <button key={name} class="button small" type="submit" name="action" value={name} disabled={isDisabled}>
            {text}
          </button>
        ),
      )}
    </form>
  );
}

function Secrets({
  page,
  credentials: { unlockCode = "", handoffUrl },
}: {
  readonly page: PageContext;
  readonly credentials: Credentials;
}) {
  const { files: texts } = page.texts;
  return (
    <section class="card" aria-label={texts.code}>
      <p>{texts.secretNote}</p>
      <p>{texts.code}</p>
      <Copyable page={page} id="unlock-code" label={texts.code} text={unlockCode} />
      {handoffUrl === undefined ? null : (
        <>
          <p>{texts.privateLink}</p>
          <Copyable page={page} id="private-link" label={texts.privateLink} text={handoffUrl} />
        </>
      )}
    </section>
  );
}

function Settings({ page, file, nowMs, fee }: PartProps & Pick<DetailsPageProps, "nowMs" | "fee">) {
  const { files: texts, notify } = page.texts;
  const { share, immutable } = file;
  const latestMs = Date.parse(share.latestExpiresAt);
  const notifyIds = settingIds("notify");
  return (
    <form class="card" method="post" action={detailsPath(file.id)}>
      <h2>{texts.settings}</h2>
      {share.files > 1 ? <p class="quiet">{texts.sharedWith(share.files)}</p> : null}
      <ShareSettingField texts={texts} name="title">
        <input
          {...settingIds("title")}
          type="text"
          name="title"
          value={share.title ?? ""}
          maxLength={120}
          autocomplete="off"
          dir="auto"
          disabled={immutable}
        />
      </ShareSettingField>
      <ShareSettingField texts={texts} name="message">
        <textarea {...settingIds("message")} name="message" rows={3} maxLength={480} dir="auto" disabled={immutable}>
          {share.message}
        </textarea>
      </ShareSettingField>
      <ShareSettingField texts={texts} name="expires">
        <input
          {...settingIds("expires")}
          type="datetime-local"
          name="expires"
          value={file.expiresAt === null ? "" : toFieldTime(Date.parse(file.expiresAt))}
          min={toFieldTime(nowMs)}
          max={toFieldTime(latestMs)}
        />
        <p class="quiet">
          {texts.inUtc(formatDate(latestMs, page.language))} {file.expiresAt === null ? texts.nowNever : ""}
        </p>
      </ShareSettingField>
      <ShareSettingField texts={texts} name="downloads">
        <input
          {...settingIds("downloads")}
          type="number"
          name="downloads"
          inputMode="numeric"
          min={1}
          max={1_000_000}
          placeholder={texts.noLimit}
          value={share.maxDownloads ?? ""}
        />
      </ShareSettingField>
      {fee !== undefined && file.encrypted ? <p class="quiet">{texts.priceEncrypted}</p> : null}
      {fee === undefined || file.encrypted ? null : (
        <ShareSettingField texts={texts} name="price" note={describeFee(texts, page.language, fee, share.priceCents)}>
          <input
            {...settingIds("price")}
            type="text"
            name="price"
            inputMode="decimal"
            autocomplete="off"
            maxLength={12}
            placeholder="4.99"
            value={toPriceField(share.priceCents)}
          />
        </ShareSettingField>
      )}
      {share.priceCents === null ? null : <Switch texts={texts} name="thumbnails" isOn={share.priceThumbnails} isDisabled={immutable} />}
      <Switch texts={texts} name="protect" isOn={file.unlockRequired} />
      <ShareSettingField texts={texts} name="handoffMessage">
        <textarea {...settingIds("handoffMessage")} name="handoffMessage" rows={2} maxLength={480} dir="auto" disabled={immutable}>
          {share.handoffMessage}
        </textarea>
      </ShareSettingField>
      <div class="files-setting">
        <label for={notifyIds.id}>{notify.label}</label>
        <NotifySelect texts={notify} id={notifyIds.id} notify={share.notify} describedBy={notifyIds["aria-describedby"]} />
        <p class="quiet" id={notifyIds["aria-describedby"]}>
          {notify.effect}
        </p>
      </div>
      <Switch texts={texts} name="visibility" isOn={file.visibility === "public"} isDisabled={immutable} />
      <Switch texts={texts} name="retention" isOn={share.retention === "forever"} isDisabled={immutable} />
      <Switch texts={texts} name="direct" isOn={share.direct} isDisabled={immutable} />
      <Switch texts={texts} name="immutable" isOn={immutable} />
      <div class="files-actions">
        <button class="button" type="submit" name="action" value="save">
          {texts.save}
        </button>
        {file.unlockRequired ? (
          <button class="button plain" type="submit" name="action" value="newCode">
            {texts.newCode}
          </button>
        ) : null}
      </div>
    </form>
  );
}

function Sources({ page: { texts }, file }: PartProps) {
  const { files } = texts;
  return (
    <form class="card" method="post" action={detailsPath(file.id)}>
      <h2>{files.madeFrom}</h2>
      <p class="quiet">{files.madeFromText}</p>
      {file.madeFrom.length === 0 ? <p>{files.noSources}</p> : null}
      {file.madeFrom.length === 0 ? null : (
        <ul class="files-related">
          {file.madeFrom.map((source) => (
            <li key={source.id}>
              <RelatedLink file={source} />
              {file.immutable ? null : (
                <button
                  class="button small"
                  type="submit"
                  name="remove"
                  value={source.id}
                  aria-label={files.removeSource(fullName(source.name))}
                >
                  {files.remove}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {file.immutable ? null : (
        <>
          <label class="field" for="add-source">
            {files.addSource}
            <input id="add-source" type="text" name="source" autocomplete="off" maxLength={300} placeholder={files.sourceHint} />
          </label>
          <div class="files-actions">
            <button class="button small" type="submit" name="action" value="addSource">
              {files.add}
            </button>
          </div>
        </>
      )}
      {file.usedIn.length === 0 ? null : (
        <>
          <h2>{files.usedIn}</h2>
          <p class="quiet">{files.usedInText}</p>
          <ul class="files-related">
            {file.usedIn.map((related) => (
              <li key={related.id}>
                <RelatedLink file={related} />
              </li>
            ))}
          </ul>
        </>
      )}
    </form>
  );
}

const RelatedLink = ({ file: { id, name } }: { readonly file: RelatedFile }) => (
  <a href={detailsPath(id)}>
    <bdi>{fullName(name)}</bdi>
  </a>
);

function Facts({ page: { texts, language }, file }: PartProps) {
  const { files, status, types } = texts;
  return (
    <section class="card">
      <h2>{files.facts}</h2>
      <dl class="files-facts">
        <dt>{files.type}</dt>
        <dd>{describeType(types, { contentType: file.mimeType, name: file.name })}</dd>
        <dt>{files.size}</dt>
        <dd>{formatSize(file.size, language)}</dd>
        <dt>{files.added}</dt>
        <dd>{formatDate(Date.parse(file.createdAt), language)}</dd>
        <dt>{files.scan}</dt>
        <dd>
          {status[toScanText(file)].headline}
          {file.isBlocklisted ? <p class="quiet">{status.blocklisted.detail}</p> : null}
        </dd>
        {file.sha256 === null ? null : (
          <>
            <dt>{files.digest}</dt>
            <dd>
              <code>{file.sha256}</code>
            </dd>
          </>
        )}
        {file.runId === null ? null : (
          <>
            <dt>{files.runLabel}</dt>
            <dd>
              <a href={`${RUNS_PATH}/${encodeURIComponent(file.runId)}`}>
                <bdi>{visibleText(file.runId)}</bdi>
              </a>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

/** A time in UTC as a field has it, in whole minutes. */
export const toFieldTime = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 16);
