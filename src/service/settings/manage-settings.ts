import { isRunTimeName, parseRunTimeValue, RUN_TIME_NAMES, type RunTimeName, runTimeSetting } from "../../config/run-time.ts";
import type { TransactionCtx } from "../../context.ts";
import { AppError, invalidField } from "../../errors.ts";
import { didYouMean } from "../../lib/text/suggestions.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { AdministratorOperation } from "../operation.ts";
import { describeSettings, type SettingsView, type SettingView } from "./describe-settings.ts";
import { toStored } from "./run-time-settings.ts";
import { listStored, saveStored } from "./stored-settings.ts";

/** `GET /admin/settings`. */
export const getSettings: AdministratorOperation<"getSettings"> = async (ctx) => {
  const rows = await listStored(ctx.db);
  return describeSettings(ctx.settings.loaded, rows, toStored(rows, ctx.log));
};

/**
 * `PATCH /admin/settings`: changes all given settings or none. The process uses them when the call resolves. Throws VALIDATION_FAILED, and CONFLICT
 * for a fixed setting or one that was changed after `revision`.
 */
export const updateSettings: AdministratorOperation<"updateSettings"> = async (ctx, call, { settings, revision }) => {
  const changes = Object.entries(settings).map(([name, value]) => toChange(name, value));
  if (changes.length === 0) throw invalidField("settings", "Name at least one setting.");
  const view = await commitResponse(ctx, call, (ctx) => applyChanges(ctx, call, { changes, revision }));
  await ctx.settings.refresh().catch((error: unknown) => ctx.log.warn({ err: error }, "the changed settings are read again later"));
  return view;
};

interface Change {
  readonly name: RunTimeName;
  /** The new text; null restores the default. */
  readonly text: string | null;
  /** The displayed form of the new value. */
  readonly shown: string | null;
}

/** Maximum number of characters of a text. Images have a size limit instead. */
const MAX_CHARACTERS = 4000;

function toChange(name: string, value: string | number | boolean | null): Change {
  const shown = name.slice(0, 100);
  const path = `settings.${shown}`;
  if (!isRunTimeName(name))
    throw invalidField(
      path,
      `No setting that can be changed is named ${shown}.${didYouMean(shown, RUN_TIME_NAMES)} GET /admin/settings lists them.`,
    );
  if (value === null) return { name, text: null, shown: null };
  const text = typeof value === "string" ? value.trim() : String(value);
  const isTooLong = text.length > MAX_CHARACTERS && runTimeSetting(name).kind !== "image";
  const parsed = isTooLong ? { problem: `give at most ${MAX_CHARACTERS} characters` } : parseRunTimeValue(name, text);
  if ("problem" in parsed) throw invalidField(path, `The setting ${name} is not valid: ${parsed.problem}.`);
  return { name, text, shown: parsed.shown };
}

async function applyChanges(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  { changes, revision: known }: { readonly changes: readonly Change[]; readonly revision: number | undefined },
): Promise<SettingsView> {
  const { loaded } = ctx.settings;
  const before = await listStored(ctx.db);
  const { revision, settings } = describeSettings(loaded, before, toStored(before, ctx.log));
  const present = new Map(settings.map((setting) => [setting.name, setting]));
  for (const { name, text, shown } of changes) {
    const setting = present.get(name);
    if (setting === undefined) continue;
    if (setting.fixedBy !== null) throw fixed(setting, setting.fixedBy);
    const stored = setting.source === "database" ? setting.value : null;
    if (shown === stored) continue;
    if (known !== undefined && setting.revision > known) throw changedMeanwhile(setting);
    await saveStored(ctx.db, { name, value: text, revision: revision + 1, changed_at: ctx.now() });
    const details = { from: setting.value, to: shown ?? setting.default };
    await recordAudit(ctx, origin, { action: "setting.changed", subject: name, account: null, details });
  }
  const rows = await listStored(ctx.db);
  return describeSettings(loaded, rows, toStored(rows, ctx.log));
}

const fixed = ({ name, value }: SettingView, by: string): AppError =>
  new AppError(
    "CONFLICT",
    `The setting ${name} is fixed by ${by}, which the server was started with. Change it there, then restart the server.`,
    {
      fields: { setting: { name, value } },
    },
  );

const changedMeanwhile = ({ name, value }: SettingView): AppError =>
  new AppError(
    "CONFLICT",
    `The setting ${name} was changed meanwhile: it is now ${value === null ? "not set" : JSON.stringify(value)}. Get the settings again, then decide.`,
    { fields: { setting: { name, value } } },
  );
