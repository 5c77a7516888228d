/** @jsxImportSource preact */
/** The settings of the share. Each one is saved when it changes. */
import { senderBar as texts } from "#texts/share";
import { alias as aliasTexts, notify as notifyTexts } from "#texts/site";
import type { SettingsChange, ShareSettings } from "../../../sending/browser/sender-calls.ts";
import { NOTICE_SETTINGS_PATH } from "../../../settings/paths.ts";
import { AliasInput } from "../../../site/browser/components/alias-input.tsx";
import { ExpirySelect } from "../../../site/browser/components/expiry-select.tsx";
import { PasswordSetting } from "../../../site/browser/components/password-setting.tsx";
import { type SaveNote, SaveOutcome, useSaves } from "../../../site/browser/components/use-saves.tsx";
import { getNoticeChoices } from "../../../site/browser/page/signed-in.ts";
import { describeShareNotices, NotifySelect } from "../../../site/notify-select.tsx";
import type { SentShareState } from "./use-sent-share.ts";

type Field = "title" | "message" | "expires" | "downloads" | "protect" | "password" | "notify" | "alias";

export interface EditPanelProps {
  readonly share: SentShareState;
  /** Reloads the page below, which shows the settings too. */
  onChanged(): Promise<void>;
  /** Closes the panel. In a dialog, which has its own button, there is none. */
  onDone?(): void;
}

export function EditPanel({ share: { settings, change, sent }, onChanged, onDone }: EditPanelProps) {
  const { notes, saving, save, refuse } = useSaves<Field, SettingsChange>({
    texts,
    async commit(wanted) {
      await change(wanted);
      await onChanged();
    },
    describe: ({ password, protect }) => (password !== undefined ? texts.newPassword : protect === true ? texts.newCode : texts.saved),
  });
  if (!settings) return <p class="quiet">{texts.loading}</p>;

  const setLimit = ({ value, validity }: HTMLInputElement): void => {
    const limit = value.trim() === "" ? null : Number(value);
    if (validity.valid) void save("downloads", { maxDownloads: limit });
    else refuse("downloads", texts.lowLimit(settings.downloads));
  };

  return (
    <div class="sender-panel sender-edit" id="sender-edit">
      <p class="quiet wide">{texts.savedAsChanged}</p>
      <label class="field wide" for="edit-title">
        <Label text={texts.title} note={notes.title} />
        <input
          id="edit-title"
          type="text"
          maxLength={120}
          autoComplete="off"
          dir="auto"
          defaultValue={settings.title ?? ""}
          onChange={({ currentTarget }) => void save("title", { title: currentTarget.value.trim() || null })}
        />
      </label>
      <label class="field wide" for="edit-message">
        <Label text={texts.message} note={notes.message} />
        <textarea
          id="edit-message"
          rows={2}
          maxLength={480}
          dir="auto"
          defaultValue={settings.message ?? ""}
          onChange={({ currentTarget }) => void save("message", { message: currentTarget.value.trim() || null })}
        />
      </label>
      <label class="field" for="edit-expires">
        <Label text={texts.expiry} note={notes.expires} />
        <ExpirySelect
          id="edit-expires"
          {...settings}
          saving={saving.expiresAt}
          onSave={(expiresAt) => void save("expires", { expiresAt })}
        />
      </label>
      <label class="field" for="edit-downloads">
        <Label text={texts.limit} note={notes.downloads} />
        <input
          id="edit-downloads"
          type="number"
          inputMode="numeric"
          min={settings.downloads + 1}
          max={1_000_000}
          step={1}
          placeholder={texts.noLimit}
          defaultValue={settings.maxDownloads === null ? "" : String(settings.maxDownloads)}
          onChange={({ currentTarget }) => setLimit(currentTarget)}
        />
      </label>
      {/* Only a share of an account, which has no token, shows these settings. */}
      {sent.claimToken === undefined ? (
        <label class="field" for="edit-alias">
          <Label text={aliasTexts.label} note={notes.alias} />
          <AliasInput
            id="edit-alias"
            describedBy="edit-alias-effect"
            alias={settings.alias}
            onSave={(alias) => void save("alias", { alias })}
            onWrong={() => refuse("alias", aliasTexts.wrong)}
          />
          <span class="quiet" id="edit-alias-effect">
            {settings.alias === null ? aliasTexts.note : aliasTexts.aliasedNote}
          </span>
        </label>
      ) : null}
      {sent.claimToken === undefined ? (
        <label class="field" for="edit-notify">
          <Label text={notifyTexts.label} note={notes.notify} />
          <NotifySelect
            texts={notifyTexts}
            id="edit-notify"
            notify={saving.notify === undefined ? settings.notify : saving.notify}
            describedBy="edit-notify-effect"
            onChange={(notify) => void save("notify", { notify })}
          />
          <span class="quiet">
            <span id="edit-notify-effect">{describeShareNotices(notifyTexts, getNoticeChoices())}</span>{" "}
            <a href={NOTICE_SETTINGS_PATH}>{notifyTexts.toSettings}</a>
          </span>
        </label>
      ) : null}
      <div class="sender-protect wide">
        <label class="check">
          <input
            id="edit-protect"
            type="checkbox"
            checked={saving.protect ?? settings.unlockRequired}
            onChange={({ currentTarget }) => void save("protect", { protect: currentTarget.checked })}
          />
          <Label text={settings.unlockKind === "password" ? texts.requirePassword : texts.protect} note={notes.protect} />
          <span class="quiet">{describeProtection(settings)}</span>
        </label>
        {settings.unlockKind === "code" ? (
          <button class="button small" type="button" onClick={() => void save("protect", { protect: true })}>
            {sent.unlockCode === undefined ? texts.makeCode : texts.replaceCode}
          </button>
        ) : null}
      </div>
      <div class="field wide">
        <label for="edit-password">
          <Label text={texts.password} note={notes.password} />
        </label>
        <PasswordSetting
          id="edit-password"
          describedBy="edit-password-note"
          submitLabel={texts.usePassword}
          rowClass="sender-password"
          onSave={(password) => save("password", { password })}
        />
        <span class="quiet" id="edit-password-note">
          {texts.passwordNote}
        </span>
      </div>
      {onDone === undefined ? null : (
        <button class="button small sender-done" type="button" onClick={onDone}>
          {texts.done}
        </button>
      )}
    </div>
  );
}

const describeProtection = ({ unlockKind }: ShareSettings): string =>
  unlockKind === null ? texts.protectNote : unlockKind === "password" ? texts.passwordProtected : texts.protectedNote;

interface LabelProps {
  readonly text: string;
  readonly note: SaveNote | undefined;
}

/** Renders the name of a field, with the outcome of its change. */
const Label = ({ text, note }: LabelProps) => (
  <span class="sender-label">
    {text}
    <SaveOutcome class="sender-note" note={note} />
  </span>
);
