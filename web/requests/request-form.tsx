/** @jsxImportSource preact */

import { formatSize } from "../../src/lib/text/format-size.ts";
import { NO_NOTICES, NotifySelect } from "../site/notify-select.tsx";
import { Problem } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import { TYPED_SIZE_PATTERN } from "../site/typed-size.ts";
import { type FolderChoice, NEW_FOLDER } from "./folder-choice.ts";
import type { OwnRequest } from "./request-view.ts";

const DAYS = [1, 7, 30, 90, 365] as const;
const DEFAULT_DAYS = 30;

export interface RequestFormProps {
  readonly page: PageContext;
  readonly action: string;
  readonly folders: readonly FolderChoice[];
  /** The request whose settings are changed; undefined for a new one. */
  readonly request?: OwnRequest;
  /** The choice of encryption of a new request, for which a script makes the key; undefined if it cannot be encrypted. */
  readonly encryption?: { readonly isOn: boolean } | undefined;
  /** The path to which the form is left without a request; undefined where it cannot be left. */
  readonly back?: string | undefined;
  /** The reason why the settings were refused. */
  readonly problem?: string | undefined;
}

/** Renders the settings of a request, each with a sentence about its effect. */
export function RequestForm({ page, action, folders, request, encryption, back, problem }: RequestFormProps) {
  const { requests: texts, notify } = page.texts;
  const isListed = request?.folderId == null || folders.some(({ id }) => id === request.folderId);
  return (
    <form class="request-form" method="post" action={action} data-once="">
      <label class="field" for="title">
        {texts.what}
        <input id="title" name="title" required maxLength={120} value={request?.title} placeholder={texts.whatExample} dir="auto" />
      </label>
      <label class="field" for="message">
        <span>
          {texts.message} <span class="quiet">{page.texts.send.optional}</span>
        </span>
        <textarea id="message" name="message" rows={2} maxLength={480} dir="auto">
          {request?.message ?? ""}
        </textarea>
      </label>
      {encryption ? <div id="own-key" data-encrypt={encryption.isOn ? "" : undefined} /> : null}
      <details open={request !== undefined}>
        <summary>{texts.more}</summary>
        <div class="request-limits">
          {request !== undefined && folders.length === 0 ? null : (
            <label class="field" for="folder">
              {texts.folder}
              <select id="folder" name="folderId" aria-describedby={request === undefined ? "folder-note" : undefined}>
                {request === undefined ? <option value={NEW_FOLDER}>{texts.newFolder}</option> : null}
                <option value="">{texts.noFolder}</option>
                {isListed ? null : (
                  <option value={request?.folderId ?? ""} selected>
                    {texts.unchanged}
                  </option>
                )}
                {folders.map(({ id, path }) => (
                  <option key={id} value={id} selected={id === request?.folderId}>
                    {path}
                  </option>
                ))}
              </select>
              {request === undefined ? (
                <span class="quiet" id="folder-note">
                  {texts.newFolderNote}
                </span>
              ) : null}
            </label>
          )}
          <NumberField id="maxFiles" label={texts.maxFiles} note={texts.maxFilesNote} value={request?.maxFiles} max={10_000} />
          <SizeField id="maxBytes" page={page} label={texts.maxBytes} note={texts.maxBytesNote} bytes={request?.maxBytes} />
          <SizeField id="maxFileBytes" page={page} label={texts.maxFileBytes} note={texts.maxFileBytesNote} bytes={request?.maxFileBytes} />
          <label class="field" for="days">
            {texts.expires}
            <select id="days" name="days" aria-describedby="days-note">
              {request ? <option value="">{texts.unchanged}</option> : null}
              {DAYS.map((days) => (
                <option key={days} value={days} selected={!request && days === DEFAULT_DAYS}>
                  {texts.days(days)}
                </option>
              ))}
            </select>
            <span class="quiet" id="days-note">
              {texts.expiresNote}
            </span>
          </label>
          <label class="field" for="notify">
            {texts.notify}
            <NotifySelect texts={notify} id="notify" notify={request?.notify ?? null} describedBy="notify-note" />
            <span class="quiet" id="notify-note">
              {(page.person?.notices ?? NO_NOTICES).arrived ? texts.notifyNote : notify.effects.none}
            </span>
          </label>
          <label class="check">
            <input type="checkbox" name="once" value="true" checked={request?.once} />
            {texts.once}
            <span class="quiet">{texts.onceNote}</span>
          </label>
          <label class="check">
            <input type="checkbox" name="protect" value="true" checked={request?.unlockRequired} />
            {texts.protect}
            <span class="quiet">{texts.protectNote}</span>
          </label>
        </div>
      </details>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <p class="choices">
        <button class="button" type="submit">
          {request ? texts.save : texts.make}
        </button>
        {back === undefined ? null : (
          <a class="button plain" href={back}>
            {texts.cancel}
          </a>
        )}
      </p>
    </form>
  );
}

interface NumberFieldProps {
  readonly id: string;
  readonly label: string;
  readonly note: string;
  readonly value: number | undefined;
  readonly max?: number;
}

const NumberField = ({ id, label, note, value, max }: NumberFieldProps) => (
  <label class="field" for={id}>
    {label}
    <input id={id} name={id} type="number" inputMode="numeric" min="1" max={max} step="1" value={value} aria-describedby={`${id}-note`} />
    <span class="quiet" id={`${id}-note`}>
      {note}
    </span>
  </label>
);

/** The size that an empty field shows as an example. */
const EXAMPLE_BYTES = 2 * 1024 ** 3;

interface SizeFieldProps {
  readonly id: string;
  readonly page: PageContext;
  readonly label: string;
  readonly note: string;
  readonly bytes: number | null | undefined;
}

const SizeField = ({ id, page, label, note, bytes }: SizeFieldProps) => (
  <label class="field" for={id}>
    {label}
    <input
      id={id}
      name={id}
      pattern={TYPED_SIZE_PATTERN}
      maxLength={20}
      autoComplete="off"
      value={bytes == null ? undefined : formatSize(bytes, page.language)}
      placeholder={formatSize(EXAMPLE_BYTES, page.language)}
      title={page.texts.requests.sizeForm}
      aria-describedby={`${id}-note`}
    />
    <span class="quiet" id={`${id}-note`}>
      {note}
    </span>
  </label>
);
