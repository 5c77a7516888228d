/** @jsxImportSource preact */
/**
 * The settings of a share, in every place that changes them (pages, "The settings of a share"). Each one is saved when it changes; meanwhile its field
 * shows the new value.
 */
import { useState } from "preact/hooks";
import { shareFields, shareSettings as texts } from "#texts/share";
import { alias as aliasTexts, notify as notifyTexts } from "#texts/site";
import { describeFee, readPrice, toPriceField } from "../../../selling/fee.ts";
import type { ShareSettings as Settings, SettingsChange } from "../../../sending/browser/sender-calls.ts";
import { NOTICE_SETTINGS_PATH } from "../../../settings/paths.ts";
import { AliasInput } from "../../../site/browser/components/alias-input.tsx";
import { ExpirySelect } from "../../../site/browser/components/expiry-select.tsx";
import { language } from "../../../site/browser/components/format.ts";
import { PasswordSetting } from "../../../site/browser/components/password-setting.tsx";
import { type Saves, useSaves } from "../../../site/browser/components/use-saves.tsx";
import { getNoticeChoices } from "../../../site/browser/page/signed-in.ts";
import { describeShareNotices, NotifySelect } from "../../../site/notify-select.tsx";
import { Setting, Switch, settingIds } from "./setting-field.tsx";
import type { SentShareState } from "./use-sent-share.ts";

const labels = { ...shareFields, ...texts.fields };

type Field = keyof typeof labels | "notify" | "alias";

export interface ShareSettingsProps {
  readonly share: SentShareState;
  /** Runs after each change, so that the page around the settings shows it. */
  onChanged(): Promise<void>;
  /** Closes the settings. In a dialog or beside a list, which has its own button, there is none. */
  onDone?(): void;
}

export function ShareSettings({ share: { settings, change, sent }, onChanged, onDone }: ShareSettingsProps) {
  const saves = useSaves<Field, SettingsChange>({
    texts,
    async commit(wanted) {
      await change(wanted);
      await onChanged();
    },
    describe: ({ password, protect }) => (password !== undefined ? texts.newPassword : protect === true ? texts.newCode : texts.saved),
  });
  if (!settings) return <p class="quiet">{texts.loading}</p>;

  const { notes, saving, save, refuse } = saves;
  const setting = toSetting(notes);
  const setLimit = ({ value, validity }: HTMLInputElement): void => {
    const limit = value.trim() === "" ? null : Number(value);
    if (validity.valid) void save("downloads", { maxDownloads: limit });
    else refuse("downloads", texts.lowLimit(settings.downloads));
  };
  const { unlockKind, immutable: isFixed } = settings;
  return (
    <div class="sender-edit share-settings" id="sender-edit">
      <p class="quiet wide">{texts.savedAsChanged}</p>
      <Setting {...setting("title")} isWide>
        <input
          {...settingIds("title")}
          type="text"
          maxLength={120}
          autoComplete="off"
          dir="auto"
          disabled={isFixed}
          defaultValue={settings.title ?? ""}
          onChange={({ currentTarget }) => void save("title", { title: currentTarget.value.trim() || null })}
        />
      </Setting>
      <Setting {...setting("message")} isWide>
        <textarea
          {...settingIds("message")}
          rows={2}
          maxLength={480}
          dir="auto"
          disabled={isFixed}
          defaultValue={settings.message ?? ""}
          onChange={({ currentTarget }) => void save("message", { message: currentTarget.value.trim() || null })}
        />
      </Setting>
      <Setting {...setting("expires")}>
        <ExpirySelect
          {...settingIds("expires")}
          {...settings}
          saving={saving.expiresAt}
          onSave={(expiresAt) => void save("expires", { expiresAt })}
        />
      </Setting>
      <Setting {...setting("downloads")}>
        <input
          {...settingIds("downloads")}
          type="number"
          inputMode="numeric"
          min={settings.downloads + 1}
          max={1_000_000}
          step={1}
          placeholder={texts.noLimit}
          defaultValue={settings.maxDownloads === null ? "" : String(settings.maxDownloads)}
          onChange={({ currentTarget }) => setLimit(currentTarget)}
        />
      </Setting>
      <Switch
        {...setting("protect", describeProtection(unlockKind))}
        label={unlockKind === "password" ? texts.requirePassword : labels.protect}
        isOn={saving.protect ?? settings.unlockRequired}
        onChange={(protect) => void save("protect", { protect })}
      >
        {unlockKind === "code" ? (
          <button class="button small" type="button" onClick={() => void save("protect", { protect: true })}>
            {sent.unlockCode === undefined ? texts.makeCode : texts.replaceCode}
          </button>
        ) : null}
      </Switch>
      <Setting {...setting("password")} isWide>
        <PasswordSetting
          id={settingIds("password").id}
          describedBy={settingIds("password")["aria-describedby"]}
          submitLabel={texts.usePassword}
          rowClass="sender-password"
          onSave={(password) => save("password", { password })}
        />
      </Setting>
      <MoreSettings settings={settings} saves={saves} isOwned={sent.claimToken === undefined} />
      {onDone === undefined ? null : (
        <button class="button small sender-done" type="button" onClick={onDone}>
          {texts.done}
        </button>
      )}
    </div>
  );
}

interface MoreSettingsProps {
  readonly settings: Settings;
  readonly saves: Saves<Field, SettingsChange>;
  /** Whether the share belongs to an account. Otherwise its sender cannot change most of these settings. */
  readonly isOwned: boolean;
}

/** Renders the settings that few people change. They are shown at first if one of them is in use. */
function MoreSettings({ settings, saves: { notes, saving, save, refuse }, isOwned }: MoreSettingsProps) {
  const [isOpen] = useState(() => hasMore(settings));
  const setting = toSetting(notes);
  const isFixed = settings.immutable;
  const note = settings.unlockRequired ? (
    <Setting {...setting("handoffMessage")} isWide>
      <textarea
        {...settingIds("handoffMessage")}
        rows={2}
        maxLength={480}
        dir="auto"
        disabled={isFixed}
        defaultValue={settings.handoffMessage ?? ""}
        onChange={({ currentTarget }) => void save("handoffMessage", { handoffMessage: currentTarget.value.trim() || null })}
      />
    </Setting>
  ) : null;
  if (!isOwned && note === null) return null;
  return (
    <details class="share-extra wide" open={isOpen}>
      <summary>{texts.more}</summary>
      <div class="sender-edit">
        {note}
        {isOwned ? (
          <>
            <Setting
              name="alias"
              label={aliasTexts.label}
              note={notes.alias}
              effect={settings.alias === null ? aliasTexts.note : aliasTexts.aliasedNote}
            >
              <AliasInput
                id={settingIds("alias").id}
                describedBy={settingIds("alias")["aria-describedby"]}
                alias={settings.alias}
                onSave={(alias) => void save("alias", { alias })}
                onWrong={() => refuse("alias", aliasTexts.wrong)}
              />
            </Setting>
            <Setting
              name="notify"
              label={notifyTexts.label}
              note={notes.notify}
              effect={
                <>
                  {describeShareNotices(notifyTexts, getNoticeChoices())} <a href={NOTICE_SETTINGS_PATH}>{notifyTexts.toSettings}</a>
                </>
              }
            >
              <NotifySelect
                texts={notifyTexts}
                id={settingIds("notify").id}
                notify={saving.notify === undefined ? settings.notify : saving.notify}
                describedBy={settingIds("notify")["aria-describedby"]}
                onChange={(notify) => void save("notify", { notify })}
              />
            </Setting>
            <PriceSettings settings={settings} saves={{ notes, saving, save, refuse }} />
            <Switch
              {...setting("visibility")}
              isOn={(saving.visibility ?? settings.visibility) === "public"}
              isDisabled={isFixed}
              onChange={(isPublic) => void save("visibility", { visibility: isPublic ? "public" : "unlisted" })}
            />
            <Switch
              {...setting("retention")}
              isOn={(saving.retention ?? settings.retention) === "forever"}
              isDisabled={isFixed}
              onChange={(isForever) => void save("retention", { retention: isForever ? "forever" : "ttl" })}
            />
            <Switch
              {...setting("direct")}
              isOn={saving.direct ?? settings.direct}
              isDisabled={isFixed}
              onChange={(direct) => void save("direct", { direct })}
            />
            <Switch
              {...setting("immutable")}
              isOn={saving.immutable ?? isFixed}
              onChange={(immutable) => void save("immutable", { immutable })}
            />
          </>
        ) : null}
      </div>
    </details>
  );
}

/** Renders the price, for accounts that can sell. */
function PriceSettings({ settings, saves: { notes, saving, save, refuse } }: Omit<MoreSettingsProps, "isOwned">) {
  const { sellingFee, priceCents, encrypted, immutable: isFixed } = settings;
  const setting = toSetting(notes);
  const setPrice = (text: string): void => {
    const cents = readPrice(text);
    if (cents !== undefined) void save("price", { priceCents: cents });
    else refuse("price", texts.wrongPrice);
  };
  return (
    <>
      {sellingFee === null ? null : encrypted ? (
        <p class="quiet wide">{texts.priceEncrypted}</p>
      ) : (
        <Setting {...setting("price", `${texts.effects.price} ${describeFee(texts, language, sellingFee, priceCents)}`)}>
          <input
            key={priceCents ?? "none"}
            {...settingIds("price")}
            type="text"
            inputMode="decimal"
            autoComplete="off"
            maxLength={12}
            placeholder="4.99"
            disabled={isFixed}
            defaultValue={toPriceField(priceCents)}
            onChange={({ currentTarget }) => setPrice(currentTarget.value)}
          />
        </Setting>
      )}
      {priceCents === null ? null : (
        <Switch
          {...setting("thumbnails")}
          isOn={saving.priceThumbnails ?? settings.priceThumbnails}
          isDisabled={isFixed}
          onChange={(priceThumbnails) => void save("thumbnails", { priceThumbnails })}
        />
      )}
    </>
  );
}

const toSetting =
  (notes: Saves<Field, SettingsChange>["notes"]) =>
  (name: keyof typeof labels, effect: string = texts.effects[name]) => ({ name, label: labels[name], note: notes[name], effect });

/** Whether a setting that few people change is in use. */
const hasMore = ({ handoffMessage, alias, notify, priceCents, visibility, retention, direct, immutable }: Settings): boolean =>
  [handoffMessage, alias, notify, priceCents].some((value) => value !== null) ||
  visibility === "public" ||
  retention === "forever" ||
  direct ||
  immutable;

const describeProtection = (unlockKind: Settings["unlockKind"]): string =>
  unlockKind === null ? texts.effects.protect : unlockKind === "password" ? texts.effects.passwordProtected : texts.effects.protected;
