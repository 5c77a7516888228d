/** @jsxImportSource preact */
import type { RequestsTexts } from "../texts/en/requests.ts";
import type { FolderChoice, OwnRequest } from "./request-view.ts";

const DAYS = [1, 7, 30, 90, 365] as const;
const DEFAULT_DAYS = 30;
const MB = 1024 ** 2;

export interface RequestFormProps {
  readonly texts: RequestsTexts;
  /** What is said of a field that may be empty. */
  readonly optional: string;
  readonly action: string;
  readonly folders: readonly FolderChoice[];
  /** The request that is changed; undefined for a new one. */
  readonly request?: OwnRequest;
  /** Why it was refused. */
  readonly problem?: string | undefined;
}

/** The settings of a request, each with a sentence of its effect. */
export function RequestForm({ texts, optional, action, folders, request, problem }: RequestFormProps) {
  return (
    <form class="request-form" method="post" action={action}>
      <label class="field" for="title">
        {texts.what}
        <input id="title" name="title" required maxLength={120} value={request?.title} placeholder={texts.whatExample} dir="auto" />
      </label>
      <label class="field" for="message">
        <span>
          {texts.message} <span class="quiet">{optional}</span>
        </span>
        <textarea id="message" name="message" rows={2} maxLength={480} dir="auto">
          {request?.message ?? ""}
        </textarea>
      </label>
      <details open={request !== undefined}>
        <summary>
          {texts.more} <span class="quiet">{texts.moreNote}</span>
        </summary>
        <div class="request-limits">
          {folders.length === 0 ? null : (
            <label class="field" for="folder">
              {texts.folder}
              <select id="folder" name="folderId">
                <option value="">{texts.noFolder}</option>
                {folders.map(({ id, name }) => (
                  <option key={id} value={id} selected={id === request?.folderId}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          )}
          <NumberField id="maxFiles" label={texts.maxFiles} note={texts.maxFilesNote} value={request?.maxFiles} max={10_000} />
          <NumberField
            id="maxMegabytes"
            label={texts.maxMegabytes}
            note={texts.maxMegabytesNote}
            value={request && Math.max(1, Math.round(request.maxBytes / MB))}
          />
          <NumberField
            id="maxFileMegabytes"
            label={texts.maxFileMegabytes}
            note={texts.maxFileMegabytesNote}
            value={request?.maxFileBytes == null ? undefined : Math.max(1, Math.round(request.maxFileBytes / MB))}
          />
          <label class="field" for="days">
            {texts.expires}
            <select id="days" name="days" aria-describedby="days-note">
              {request ? <option value="">{texts.keepExpiry}</option> : null}
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
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <p class="choices">
        <button class="button" type="submit">
          {request ? texts.save : texts.make}
        </button>
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
