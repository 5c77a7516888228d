/** @jsxImportSource preact */
/** The settings of the share. Each one is saved when it changes. */
import { useRef, useState } from "preact/hooks";
import { senderBar as texts } from "#texts/share";
import { alias as aliasTexts, errors, notify as notifyTexts } from "#texts/site";
import type { SettingsChange, ShareSettings } from "../../../sending/browser/sender-calls.ts";
import { hasBuyers } from "../../../site/browser/api.ts";
import { AliasInput } from "../../../site/browser/components/alias-input.tsx";
import { announce } from "../../../site/browser/components/announce.ts";
import { ExpirySelect } from "../../../site/browser/components/expiry-select.tsx";
import { PasswordSetting } from "../../../site/browser/components/password-setting.tsx";
import { NotifySelect } from "../../../site/notify-select.tsx";
import type { SentShareState } from "./use-sent-share.ts";

type Field = "title" | "message" | "expires" | "downloads" | "protect" | "password" | "notify" | "alias";

export interface EditPanelProps {
  readonly share: SentShareState;
  /** Reloads the page below, which shows the settings too. */
  onChanged(): Promise<void>;
}

export function EditPanel({ share: { settings, change, sent }, onChanged }: EditPanelProps) {
  const [note, setNote] = useState<Note & { readonly field: Field }>();
  /** The change that is being saved. The fields already show it. */
  const [saving, setSaving] = useState<SettingsChange>();
  const last = useRef<SettingsChange>(undefined);
  if (!settings) return <p class="quiet">{texts.loading}</p>;

  const fail = (field: Field, text: string, force?: Pick<Note, "onForce"> | false): void => {
    setNote({ field, text, isProblem: true, ...force });
  };
  const save = async (field: Field, wanted: SettingsChange): Promise<boolean> => {
    last.current = wanted;
    setSaving(wanted);
    setNote({ field, text: texts.saving });
    try {
      await change(wanted);
    } catch (error) {
      const onForce = (): void => void save(field, { ...wanted, force: true });
      fail(field, error instanceof Error ? error.message : String(error), hasBuyers(error) && { onForce });
      return false;
    } finally {
      setSaving(undefined);
    }
    if (last.current === wanted) setNote({ field, text: texts.saved });
    await onChanged();
    announce(wanted.password !== undefined ? texts.newPassword : wanted.protect === true ? texts.newCode : texts.saved);
    return true;
  };
  const setLimit = ({ value, validity }: HTMLInputElement): void => {
    const limit = value.trim() === "" ? null : Number(value);
    if (validity.valid) void save("downloads", { maxDownloads: limit });
    else fail("downloads", texts.lowLimit(settings.downloads));
  };
  const of = (field: Field) => (note?.field === field ? note : undefined);

  return (
    <div class="sender-panel sender-edit" id="sender-edit">
      <label class="field" for="edit-title">
        <Label text={texts.title} note={of("title")} />
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
      <label class="field" for="edit-message">
        <Label text={texts.message} note={of("message")} />
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
        <Label text={texts.expiry} note={of("expires")} />
        <ExpirySelect
          id="edit-expires"
          {...settings}
          saving={saving?.expiresAt}
          onSave={(expiresAt) => void save("expires", { expiresAt })}
        />
      </label>
      <label class="field" for="edit-downloads">
        <Label text={texts.limit} note={of("downloads")} />
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
          <Label text={aliasTexts.label} note={of("alias")} />
          <AliasInput
            id="edit-alias"
            describedBy="edit-alias-effect"
            alias={settings.alias}
            onSave={(alias) => void save("alias", { alias })}
            onWrong={() => fail("alias", aliasTexts.wrong)}
          />
          <span class="quiet" id="edit-alias-effect">
            {settings.alias === null ? aliasTexts.note : aliasTexts.aliasedNote}
          </span>
        </label>
      ) : null}
      {sent.claimToken === undefined ? (
        <label class="field" for="edit-notify">
          <Label text={notifyTexts.label} note={of("notify")} />
          <NotifySelect
            texts={notifyTexts}
            id="edit-notify"
            notify={saving?.notify === undefined ? settings.notify : saving.notify}
            describedBy="edit-notify-effect"
            onChange={(notify) => void save("notify", { notify })}
          />
          <span class="quiet" id="edit-notify-effect">
            {notifyTexts.effect}
          </span>
        </label>
      ) : null}
      <div class="sender-protect">
        <label class="check">
          <input
            id="edit-protect"
            type="checkbox"
            checked={saving?.protect ?? settings.unlockRequired}
            onChange={({ currentTarget }) => void save("protect", { protect: currentTarget.checked })}
          />
          <Label text={settings.unlockKind === "password" ? texts.requirePassword : texts.protect} note={of("protect")} />
          <span class="quiet">{describeProtection(settings)}</span>
        </label>
        {settings.unlockKind === "code" ? (
          <button class="button small" type="button" onClick={() => void save("protect", { protect: true })}>
            {sent.unlockCode === undefined ? texts.makeCode : texts.replaceCode}
          </button>
        ) : null}
      </div>
      <div class="field">
        <label for="edit-password">
          <Label text={texts.password} note={of("password")} />
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
    </div>
  );
}

const describeProtection = ({ unlockKind }: ShareSettings): string =>
  unlockKind === null ? texts.protectNote : unlockKind === "password" ? texts.passwordProtected : texts.protectedNote;

interface Note {
  readonly text: string;
  readonly isProblem?: boolean;
  /** Repeats the change, although buyers lose files that they paid for. */
  onForce?(): void;
}

interface LabelProps {
  readonly text: string;
  readonly note: Note | undefined;
}

/** Renders the name of a field, with the result of its change. */
function Label({ text, note }: LabelProps) {
  return (
    <span class="sender-label">
      {text}
      {note === undefined ? null : note.isProblem ? (
        <span class="sender-note bad" role="alert">
          {note.text}{" "}
          {note.onForce === undefined ? null : (
            <button class="button small" type="button" onClick={note.onForce}>
              {errors.nevertheless}
            </button>
          )}
        </span>
      ) : (
        <span class="sender-note">{note.text}</span>
      )}
    </span>
  );
}
