/** @jsxImportSource preact */

import { ALIAS_FORM, ALIAS_LENGTH } from "../../src/contract/alias-form.ts";
import { SHARE_PASSWORD_FIELD } from "../../src/contract/unlock-code.ts";
import { DAY_MS, HOUR_MS } from "../../src/lib/text/duration.ts";
import type { ShareFieldTexts } from "../share/texts/en.ts";
import { formatDuration } from "../site/format.ts";
import { describeShareNotices, type NoticeChoices, NotifySelect } from "../site/notify-select.tsx";
import type { AliasTexts, NotifyTexts } from "../site/texts/en.ts";
import type { Language } from "../texts/languages.ts";
import type { SendTexts } from "./texts/en.ts";

const RETENTION_CHOICES = [
  { ttl: "1h", durationMs: HOUR_MS },
  { ttl: "24h", durationMs: DAY_MS },
  { ttl: "3d", durationMs: 3 * DAY_MS },
  { ttl: "7d", durationMs: 7 * DAY_MS },
  { ttl: "30d", durationMs: 30 * DAY_MS },
  { ttl: "90d", durationMs: 90 * DAY_MS },
] as const;

const UNPROTECTED = "false";
const PASSWORD = "1";
/**
 * The values of `protect`. Both that protect are true for the server: without JavaScript, a share whose sender enters no password gets a code, and
 * a password without protection is refused.
 */
const PROTECTIONS = [
  { value: UNPROTECTED, kind: "none" },
  { value: "true", kind: "code" },
  { value: PASSWORD, kind: "password" },
] as const;

/** Whether settings protect the share with a password. */
export const hasPassword = ({ protect }: ChosenOptions["settings"]): boolean => protect === PASSWORD;

/** Returns the filled fields without those that say that the share has no protection. */
export function withoutDefaults({ protect, ...others }: ChosenOptions["settings"]): ChosenOptions["settings"] {
  return protect === undefined || protect === UNPROTECTED ? others : { ...others, protect };
}

/** The settings of a new share that its sender has chosen. */
export interface ChosenOptions {
  readonly isEncrypted: boolean;
  /** The publish fields that are not empty. */
  readonly settings: Readonly<Record<string, string>>;
}

/** How long a new share can be kept. */
export interface Retention {
  readonly longestMs: number;
  /** Whether a share without an expiry does not expire; otherwise it expires after the longest time. */
  readonly isKept: boolean;
}

export interface SendOptionsProps {
  readonly texts: SendTexts;
  /** The names of the settings that a sent share has too. */
  readonly fields: ShareFieldTexts;
  readonly language: Language;
  readonly retention: Retention;
  /** Texts of the notices that a sender with an account can get; undefined for other senders. */
  readonly notifyTexts: NotifyTexts | undefined;
  /** The notices that the account gets of shares without their own choice. */
  readonly notices: NoticeChoices;
  /** Texts of the alias that a sender with an account can choose; undefined for other senders. */
  readonly aliasTexts: AliasTexts | undefined;
  /** The title of the share if the sender writes none. */
  readonly defaultTitle?: string | undefined;
  /** Whether files can be encrypted, which needs JavaScript. */
  readonly canEncrypt?: boolean;
  readonly onEncrypt?: (isEncrypted: boolean) => void;
  /** Whether a password protects the share; undefined without JavaScript. */
  readonly usesPassword?: boolean;
  readonly onProtect?: (usesPassword: boolean) => void;
  /** The settings with which the fields begin. They must be the same at each rendering. */
  readonly initial?: ChosenOptions | undefined;
}

/** Renders the settings of a new share, as publish fields of a form (sharing, "Publish fields"). Works with and without JavaScript. */
export function SendOptions({
  texts,
  fields,
  language,
  retention,
  notifyTexts,
  notices,
  aliasTexts,
  defaultTitle,
  canEncrypt,
  onEncrypt,
  usesPassword,
  onProtect,
  initial = { isEncrypted: false, settings: {} },
}: SendOptionsProps) {
  const { isEncrypted, settings } = initial;
  return (
    <details class="send-options" id="options" open={isEncrypted || Object.keys(settings).length > 0}>
      <summary>
        {texts.optionsLabel} <span class="quiet">{canEncrypt ? texts.optionsNoteEncrypted : texts.optionsNote}</span>
      </summary>
      <div class="send-fields">
        <label class="field wide" for="share-title">
          <span>
            {fields.title} <span class="quiet">{texts.optional}</span>
          </span>
          <input
            id="share-title"
            name="title"
            type="text"
            maxLength={120}
            autoComplete="off"
            dir="auto"
            placeholder={defaultTitle}
            defaultValue={settings.title}
          />
        </label>
        <label class="field wide" for="share-message">
          <span>
            {fields.message} <span class="quiet">{texts.optional}</span>
          </span>
          <textarea id="share-message" name="message" rows={2} maxLength={480} dir="auto" defaultValue={settings.message} />
        </label>
        <label class="field" for="ttl">
          {texts.expires}
          <select id="ttl" name="ttl">
            {listRetentionChoices({ texts, language, retention }).map(({ ttl, label }) => (
              <option key={ttl} value={ttl} selected={settings.ttl !== undefined && ttl === settings.ttl}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="field" for="max-downloads">
          {fields.downloads}
          <input
            id="max-downloads"
            name="maxDownloads"
            type="number"
            inputMode="numeric"
            min="1"
            max="1000000"
            step="1"
            placeholder={texts.noLimit}
            defaultValue={settings.maxDownloads}
          />
        </label>
        <fieldset
          class="protection wide"
          {...{ onChange: ({ currentTarget }: { currentTarget: Element }) => onProtect?.(isPasswordChosen(currentTarget)) }}
        >
          <legend>{texts.protection}</legend>
          {PROTECTIONS.map(({ value, kind }) => (
            <label key={value}>
              <input type="radio" name="protect" value={value} defaultChecked={value === (settings.protect ?? UNPROTECTED)} />
              {texts.protections[kind]}
            </label>
          ))}
          <p class="quiet">{texts.codeHint}</p>
          <label class="field" for="share-password">
            {texts.password}
            <input
              id="share-password"
              name="password"
              // Its sender passes it on, so it is shown: a typing error would close the share to everybody.
              type="text"
              {...SHARE_PASSWORD_FIELD}
              required={usesPassword}
              disabled={usesPassword === false}
              autoComplete="off"
              autoCapitalize="none"
              autoCorrect="off"
              spellcheck={false}
              defaultValue={settings.password}
              aria-describedby="password-hint"
            />
            <span class="quiet" id="password-hint">
              {texts.passwordHint}
            </span>
          </label>
        </fieldset>
        {canEncrypt ? (
          <label class="check wide">
            <input
              type="checkbox"
              name="encrypt"
              value="true"
              defaultChecked={isEncrypted}
              aria-labelledby="encrypt-label"
              aria-describedby="encrypt-hint"
              {...{ onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onEncrypt?.(currentTarget.checked) }}
            />
            <span id="encrypt-label">{texts.encrypt}</span>
            <span class="quiet" id="encrypt-hint">
              {texts.encryptHint}
            </span>
          </label>
        ) : null}
        {notifyTexts === undefined ? null : (
          <label class="field wide" for="notify">
            {notifyTexts.label}
            <NotifySelect texts={notifyTexts} id="notify" notify={toNotify(settings.notify)} describedBy="notify-hint" />
            <span class="quiet" id="notify-hint">
              {describeShareNotices(notifyTexts, notices)}
            </span>
          </label>
        )}
        {aliasTexts === undefined ? null : (
          <label class="field wide" for="alias">
            <span>
              {aliasTexts.label} <span class="quiet">{texts.optional}</span>
            </span>
            <input
              id="alias"
              name="alias"
              type="text"
              minLength={ALIAS_LENGTH.min}
              maxLength={ALIAS_LENGTH.max}
              pattern={ALIAS_FORM.source.slice(1, -1)}
              title={aliasTexts.wrong}
              autoComplete="off"
              autoCapitalize="none"
              spellcheck={false}
              dir="ltr"
              defaultValue={settings.alias}
              aria-describedby="alias-hint"
            />
            <span class="quiet" id="alias-hint">
              {aliasTexts.note}
            </span>
          </label>
        )}
      </div>
    </details>
  );
}

const isPasswordChosen = (fieldset: Element): boolean => fieldset.querySelector(`[value="${PASSWORD}"]:checked`) !== null;

const toNotify = (field: string | undefined): boolean | null => (field === undefined ? null : field === "true");

/** Lists the choices of the expiry. The first one sends no `ttl`, so that the server's default applies. */
function listRetentionChoices({
  texts,
  language,
  retention: { longestMs, isKept },
}: Pick<SendOptionsProps, "texts" | "language" | "retention">): readonly { ttl: string; label: string }[] {
  const byDefault = { ttl: "", label: isKept ? texts.never : texts.longest(formatDuration(longestMs, language)) };
  const others = RETENTION_CHOICES.filter(({ durationMs }) => (isKept ? durationMs <= longestMs : durationMs < longestMs));
  return [byDefault, ...others.map(({ ttl, durationMs }) => ({ ttl, label: formatDuration(durationMs, language) })).reverse()];
}
