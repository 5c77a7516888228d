/** @jsxImportSource preact */
/** The settings of a file's share. Each is saved when it changes, and shown as changed meanwhile. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { files as texts } from "#texts/files.ts";
import { fullName } from "../../format.ts";
import { CopyButton } from "../send/copy-button.tsx";
import { announce, date } from "../send/format.ts";
import { listExpiryChoices } from "../sender-bar/expiry-choices.ts";
import { type Credentials, changeSettings, type FileDetails, type SettingsChange } from "./details.ts";

type Field = keyof typeof texts.fields;

interface Note {
  readonly field: Field;
  readonly text: string;
  readonly isProblem?: boolean;
}

export interface DrawerSettingsProps {
  readonly file: FileDetails;
  /** Loads the file again. */
  onChanged(): Promise<void>;
}

export function DrawerSettings({ file, onChanged }: DrawerSettingsProps) {
  const [note, setNote] = useState<Note>();
  /** The change that is being saved, which the fields show already. */
  const [saving, setSaving] = useState<SettingsChange>({});
  const [credentials, setCredentials] = useState<Credentials>();
  const { share } = file;

  const save = async (field: Field, change: SettingsChange): Promise<void> => {
    setSaving(change);
    setNote({ field, text: texts.saving });
    try {
      const made = await changeSettings(file.id, change);
      if (change.protect !== undefined) setCredentials(made.unlockCode === undefined ? undefined : made);
      await onChanged();
      setNote({ field, text: texts.saved });
      announce(texts.saved);
    } catch (error) {
      setNote({ field, text: error instanceof Error ? error.message : String(error), isProblem: true });
    } finally {
      setSaving({});
    }
  };
  const setLimit = ({ value, validity }: HTMLInputElement): void => {
    if (validity.valid) void save("downloads", { maxDownloads: value.trim() === "" ? null : Number(value) });
    else setNote({ field: "downloads", text: texts.lowLimit(file.downloads), isProblem: true });
  };
  const field = (name: Field) => ({ name, note: note?.field === name ? note : undefined });
  const isFixed = file.immutable;
  const isOnce = share.maxDownloads === 1;

  return (
    <section class="files-section">
      <h3>{texts.settings}</h3>
      {share.files > 1 ? <p class="quiet">{texts.sharedWith(share.files)}</p> : null}
      <Setting {...field("title")}>
        <input
          id="drawer-title"
          type="text"
          maxLength={120}
          autoComplete="off"
          dir="auto"
          disabled={isFixed}
          aria-describedby="drawer-title-effect"
          defaultValue={share.title ?? ""}
          onChange={({ currentTarget }) => void save("title", { title: currentTarget.value.trim() || null })}
        />
      </Setting>
      <Setting {...field("message")}>
        <textarea
          id="drawer-message"
          rows={2}
          maxLength={480}
          dir="auto"
          disabled={isFixed}
          aria-describedby="drawer-message-effect"
          defaultValue={share.message ?? ""}
          onChange={({ currentTarget }) => void save("message", { message: currentTarget.value.trim() || null })}
        />
      </Setting>
      <Setting {...field("expires")}>
        <select
          id="drawer-expires"
          value={saving.expiresAt ?? ""}
          aria-describedby="drawer-expires-effect"
          onChange={({ currentTarget }) => {
            if (currentTarget.value) void save("expires", { expiresAt: currentTarget.value });
          }}
        >
          <option value="">{file.expiresAt === null ? texts.never : date(file.expiresAt)}</option>
          {saving.expiresAt ? <option value={saving.expiresAt}>{date(saving.expiresAt)}</option> : null}
          {listExpiryChoices({ expiresAt: file.expiresAt, latestExpiresAt: share.latestExpiresAt }, texts.latest).map(
            ({ label, expiresAt }) => (
              <option key={label} value={expiresAt}>
                {label}
              </option>
            ),
          )}
        </select>
      </Setting>
      <Setting {...field("downloads")}>
        <input
          key={share.maxDownloads ?? "none"}
          id="drawer-downloads"
          type="number"
          inputMode="numeric"
          min={file.downloads + 1}
          max={1_000_000}
          step={1}
          placeholder={texts.noLimit}
          aria-describedby="drawer-downloads-effect"
          defaultValue={share.maxDownloads === null ? "" : String(share.maxDownloads)}
          onChange={({ currentTarget }) => setLimit(currentTarget)}
        />
      </Setting>
      <Switch
        {...field("once")}
        isOn={saving.once ?? isOnce}
        isDisabled={!isOnce && file.downloads > 0}
        onChange={(once) => void save("once", once ? { once } : { maxDownloads: null })}
      />
      <Switch
        {...field("protect")}
        isOn={saving.protect ?? file.unlockRequired}
        onChange={(protect) => void save("protect", { protect })}
      />
      {credentials ? <Secrets credentials={credentials} /> : null}
      {file.unlockRequired ? (
        <button class="button small" type="button" onClick={() => void save("protect", { protect: true })}>
          {texts.newCode}
        </button>
      ) : null}
      <Switch
        {...field("visibility")}
        isOn={(saving.visibility ?? file.visibility) === "public"}
        isDisabled={isFixed}
        onChange={(isPublic) => void save("visibility", { visibility: isPublic ? "public" : "unlisted" })}
      />
      <Switch
        {...field("retention")}
        isOn={(saving.retention ?? share.retention) === "forever"}
        isDisabled={isFixed}
        onChange={(isForever) => void save("retention", { retention: isForever ? "forever" : "ttl" })}
      />
      <Switch
        {...field("direct")}
        isOn={saving.direct ?? share.direct}
        isDisabled={isFixed}
        onChange={(direct) => void save("direct", { direct })}
      />
      <Switch {...field("immutable")} isOn={saving.immutable ?? isFixed} onChange={(immutable) => void save("immutable", { immutable })} />
    </section>
  );
}

interface SettingProps {
  readonly name: Field;
  readonly note: Note | undefined;
}

function Setting({ name, note, children }: SettingProps & { readonly children: ComponentChildren }) {
  return (
    <div class="files-setting">
      <label for={`drawer-${name}`}>{texts.fields[name]}</label>
      <Outcome note={note} />
      {children}
      <p class="quiet" id={`drawer-${name}-effect`}>
        {texts.effects[name]}
      </p>
    </div>
  );
}

interface SwitchProps extends SettingProps {
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  onChange(isOn: boolean): void;
}

function Switch({ name, note, isOn, isDisabled, onChange }: SwitchProps) {
  return (
    <div class="files-setting files-switch">
      <input
        id={`drawer-${name}`}
        type="checkbox"
        checked={isOn}
        disabled={isDisabled}
        aria-describedby={`drawer-${name}-effect`}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.checked);
          // As the server has it, until it has changed.
          currentTarget.checked = isOn;
        }}
      />
      <label for={`drawer-${name}`}>{texts.fields[name]}</label>
      <Outcome note={note} />
      <p class="quiet" id={`drawer-${name}-effect`}>
        {texts.effects[name]}
      </p>
    </div>
  );
}

/** What became of the change. */
function Outcome({ note }: { readonly note: Note | undefined }) {
  if (!note) return null;
  return (
    <span class={note.isProblem ? "files-outcome bad" : "files-outcome"} role={note.isProblem ? "alert" : undefined}>
      {note.text}
    </span>
  );
}

function Secrets({ credentials: { unlockCode, handoffUrl } }: { readonly credentials: Credentials }) {
  return (
    <div class="files-secrets">
      <p class="quiet">{texts.secretNote}</p>
      {unlockCode === undefined ? null : (
        <p>
          {texts.code} <code id="drawer-code">{unlockCode}</code>
        </p>
      )}
      <div class="files-actions">
        <CopyButton source="drawer-code" label={texts.copyCode} copiedLabel={texts.copied} />
        {handoffUrl === undefined ? null : (
          <>
            <a id="drawer-private-link" href={handoffUrl} hidden>
              {fullName(handoffUrl)}
            </a>
            <CopyButton source="drawer-private-link" label={texts.copyPrivateLink} copiedLabel={texts.copied} />
          </>
        )}
      </div>
    </div>
  );
}
