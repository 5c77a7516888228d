/** @jsxImportSource preact */
/** The settings of a file's share. Each one is saved when it changes; meanwhile the field shows the new value. */
import { useState } from "preact/hooks";
import { files as texts } from "#texts/files";
import { alias as aliasTexts, notify as notifyTexts } from "#texts/site";
import type { SellingFee } from "../../../src/contract/selling-fee.ts";
import { describeFee, readPrice, toPriceField } from "../../selling/fee.ts";
import { NOTICE_SETTINGS_PATH } from "../../settings/paths.ts";
import { AliasInput } from "../../site/browser/components/alias-input.tsx";
import { CopyButton } from "../../site/browser/components/copy-button.tsx";
import { ExpirySelect } from "../../site/browser/components/expiry-select.tsx";
import { language } from "../../site/browser/components/format.ts";
import { PasswordSetting } from "../../site/browser/components/password-setting.tsx";
import { SaveOutcome, useSaves } from "../../site/browser/components/use-saves.tsx";
import { getNoticeChoices } from "../../site/browser/page/signed-in.ts";
import { fullName } from "../../site/format.ts";
import { describeShareNotices, NotifySelect } from "../../site/notify-select.tsx";
import type { Credentials, FileDetails } from "../file-details.ts";
import { ShareSettingField, type ShareSettingName, Switch, settingIds } from "../setting-field.tsx";
import { isConflict } from "./calls.ts";
import { changeFileSettings, type SettingsChange } from "./details.ts";

/** A setting whose texts are in the catalogue of this page, or that other pages have too. */
type Field = ShareSettingName | "notify" | "alias";

export interface DrawerSettingsProps {
  readonly file: FileDetails;
  readonly fee: SellingFee | undefined;
  /** Loads the file again. */
  onChanged(): Promise<void>;
}

export function DrawerSettings({ file, fee, onChanged }: DrawerSettingsProps) {
  const [credentials, setCredentials] = useState<Credentials>();
  const { notes, saving, save, refuse } = useSaves<Field, SettingsChange>({
    texts,
    async commit(change) {
      const made = await changeFileSettings(file.id, change).catch((error: unknown) => {
        throw change.priceCents !== undefined && isConflict(error) ? new Error(texts.priceEncrypted) : error;
      });
      if (change.protect !== undefined || change.password !== undefined) setCredentials(made.handoffUrl === undefined ? undefined : made);
      await onChanged();
    },
  });
  const { share } = file;
  const setLimit = ({ value, validity }: HTMLInputElement): void => {
    if (validity.valid) void save("downloads", { maxDownloads: value.trim() === "" ? null : Number(value) });
    else refuse("downloads", texts.lowLimit(file.downloads));
  };
  const setPrice = (text: string): void => {
    const priceCents = readPrice(text);
    if (priceCents !== undefined) void save("price", { priceCents });
    else refuse("price", texts.wrongPrice);
  };
  const field = (name: ShareSettingName) => ({ texts, name, outcome: <SaveOutcome class="files-outcome" note={notes[name]} /> });
  const [aliasIds, notifyIds] = [settingIds("alias"), settingIds("notify")];
  const isFixed = file.immutable;
  const isOnce = share.maxDownloads === 1;

  return (
    <section class="files-section">
      <h3>{texts.settings}</h3>
      {share.files > 1 ? <p class="quiet">{texts.sharedWith(share.files)}</p> : null}
      <ShareSettingField {...field("title")}>
        <input
          {...settingIds("title")}
          type="text"
          maxLength={120}
          autoComplete="off"
          dir="auto"
          disabled={isFixed}
          defaultValue={share.title ?? ""}
          onChange={({ currentTarget }) => void save("title", { title: currentTarget.value.trim() || null })}
        />
      </ShareSettingField>
      <ShareSettingField {...field("message")}>
        <textarea
          {...settingIds("message")}
          rows={2}
          maxLength={480}
          dir="auto"
          disabled={isFixed}
          defaultValue={share.message ?? ""}
          onChange={({ currentTarget }) => void save("message", { message: currentTarget.value.trim() || null })}
        />
      </ShareSettingField>
      <ShareSettingField {...field("expires")}>
        <ExpirySelect
          {...settingIds("expires")}
          expiresAt={file.expiresAt}
          latestExpiresAt={share.latestExpiresAt}
          saving={saving.expiresAt}
          onSave={(expiresAt) => void save("expires", { expiresAt })}
        />
      </ShareSettingField>
      <ShareSettingField {...field("downloads")}>
        <input
          key={share.maxDownloads ?? "none"}
          {...settingIds("downloads")}
          type="number"
          inputMode="numeric"
          min={file.downloads + 1}
          max={1_000_000}
          step={1}
          placeholder={texts.noLimit}
          defaultValue={share.maxDownloads === null ? "" : String(share.maxDownloads)}
          onChange={({ currentTarget }) => setLimit(currentTarget)}
        />
      </ShareSettingField>
      <Switch
        {...field("once")}
        isOn={saving.once ?? isOnce}
        isDisabled={!isOnce && file.downloads > 0}
        onChange={(once) => void save("once", once ? { once } : { maxDownloads: null })}
      />
      {fee !== undefined && file.encrypted ? <p class="quiet">{texts.priceEncrypted}</p> : null}
      {fee === undefined || file.encrypted ? null : (
        <ShareSettingField {...field("price")} note={describeFee(texts, language, fee, share.priceCents)}>
          <input
            key={share.priceCents ?? "none"}
            {...settingIds("price")}
            type="text"
            inputMode="decimal"
            autoComplete="off"
            maxLength={12}
            placeholder="4.99"
            defaultValue={toPriceField(share.priceCents)}
            onChange={({ currentTarget }) => setPrice(currentTarget.value)}
          />
        </ShareSettingField>
      )}
      {share.priceCents === null ? null : (
        <Switch
          {...field("thumbnails")}
          isOn={saving.priceThumbnails ?? share.priceThumbnails}
          isDisabled={isFixed}
          onChange={(priceThumbnails) => void save("thumbnails", { priceThumbnails })}
        />
      )}
      <Switch
        {...field("protect")}
        label={file.unlockKind === "password" ? texts.requirePassword : undefined}
        isOn={saving.protect ?? file.unlockRequired}
        onChange={(protect) => void save("protect", { protect })}
      />
      <ShareSettingField {...field("password")}>
        <PasswordSetting
          id={settingIds("password").id}
          describedBy={settingIds("password")["aria-describedby"]}
          submitLabel={texts.usePassword}
          rowClass="files-actions"
          onSave={(password) => save("password", { password })}
        />
      </ShareSettingField>
      {credentials ? <Secrets credentials={credentials} /> : null}
      {file.unlockRequired ? (
        <>
          {file.unlockKind === "code" ? (
            <button class="button small" type="button" onClick={() => void save("protect", { protect: true })}>
              {texts.newCode}
            </button>
          ) : null}
          <ShareSettingField {...field("handoffMessage")}>
            <textarea
              {...settingIds("handoffMessage")}
              rows={2}
              maxLength={480}
              dir="auto"
              disabled={isFixed}
              defaultValue={share.handoffMessage ?? ""}
              onChange={({ currentTarget }) => void save("handoffMessage", { handoffMessage: currentTarget.value.trim() || null })}
            />
          </ShareSettingField>
        </>
      ) : null}
      <div class="files-setting">
        <label for={aliasIds.id}>{aliasTexts.label}</label>
        <SaveOutcome class="files-outcome" note={notes.alias} />
        <AliasInput
          id={aliasIds.id}
          describedBy={aliasIds["aria-describedby"]}
          alias={share.alias}
          onSave={(alias) => void save("alias", { alias })}
          onWrong={() => refuse("alias", aliasTexts.wrong)}
        />
        <p class="quiet" id={aliasIds["aria-describedby"]}>
          {share.alias === null ? aliasTexts.note : aliasTexts.aliasedNote}
        </p>
      </div>
      <div class="files-setting">
        <label for={notifyIds.id}>{notifyTexts.label}</label>
        <SaveOutcome class="files-outcome" note={notes.notify} />
        <NotifySelect
          texts={notifyTexts}
          id={notifyIds.id}
          notify={saving.notify === undefined ? share.notify : saving.notify}
          describedBy={notifyIds["aria-describedby"]}
          onChange={(notify) => void save("notify", { notify })}
        />
        <p class="quiet">
          <span id={notifyIds["aria-describedby"]}>{describeShareNotices(notifyTexts, getNoticeChoices())}</span>{" "}
          <a href={NOTICE_SETTINGS_PATH}>{notifyTexts.toSettings}</a>
        </p>
      </div>
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
        {unlockCode === undefined ? null : <CopyButton source="drawer-code" label={texts.copyCode} copiedLabel={texts.copied} />}
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
