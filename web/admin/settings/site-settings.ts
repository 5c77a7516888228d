import { formatLogo, toLogo } from "../../../src/config/logo.ts";
import { parseRunTimeValue, RUN_TIME_NAMES, type RunTimeName, runTimeSetting } from "../../../src/config/run-time.ts";
import type { RequestContext } from "../../../src/context.ts";
import { DIRECT_UPLOAD } from "../../../src/contract/scalars.ts";
import { AppError } from "../../../src/errors.ts";
import { isForm, readFormBytes } from "../../../src/http/reading/form.ts";
import { readBody, readPageForm } from "../../../src/http/reading/read-body.ts";
import { toSite } from "../../../src/http/responding/branding.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { operations } from "../../../src/service/operations.ts";
import type { Site } from "../../site/page-context.ts";
import type { SettingSearch } from "./find-settings.ts";
import { fromWords } from "./limit-words.ts";
import { enteredField, LOGO_FIELD, type SettingProblem, shownField } from "./site-setting.ts";
import { toPageSettings } from "./site-setting-rows.ts";
import { renderSiteSettingsPage, type SiteSettingsPageProps } from "./site-settings-page.tsx";

/** The largest form of the logo. It accepts a photo, so that the page can explain that it is too large for a logo. */
const MAX_LOGO_FORM_BYTES = DIRECT_UPLOAD.maxFileBytes + DIRECT_UPLOAD.overheadBytes;

const MAX_SEARCH_CHARACTERS = 100;

export const showSiteSettingsPage = (c: HttpContext, call: RequestContext): Promise<Response> => respondSettings(c, call, {});

/** Handles `POST /admin/settings`: saves the changes of a form, previews them, or resets one setting. The form of the logo has its image. */
export async function postSiteSettings(c: HttpContext, call: RequestContext): Promise<Response> {
  if (isForm(c.req.header("content-type") ?? "")) return await sendLogo(c, call);
  const {
    language,
    texts: { siteSettings: texts },
  } = pageContext(c);
  const form = await readPageForm(c, call);
  const entered = readEntered(form);
  if (form.get("action") === "preview")
    return await respondSettings(c, call, { done: texts.previewing, entered, sent: [...entered.keys()], site: toPreview(c, entered) });
  const reset = form.get("reset");
  // Values that the reader did not change are not sent, because somebody else may have changed them meanwhile.
  const changed = [...entered].filter(([name, text]) => text !== form.get(shownField(name)));
  const values = changed.map(([name, text]) => [name, text === "" ? null : fromWords(language, runTimeSetting(name).kind, text)] as const);
  const settings = reset === null ? Object.fromEntries(values) : { [reset]: null };
  if (Object.keys(settings).length === 0) return await respondSettings(c, call, { done: texts.unchanged, sent: [...entered.keys()] });
  return await save(c, call, { settings, revision: form.get("revision"), done: reset === null ? texts.saved : texts.wasReset, entered });
}

async function sendLogo(c: HttpContext, call: RequestContext): Promise<Response> {
  const { siteSettings: texts } = pageContext(c).texts;
  const refuse = (problem: SettingProblem): Promise<Response> =>
    respondSettings(
      c,
      call,
      { problems: new Map([["logo", problem]]), sent: ["logo"] },
      new AppError("VALIDATION_FAILED", "The logo is not valid."),
    );
  const form = await readLogoForm(c, call);
  if (form === undefined) return await refuse("tooLarge");
  const { [LOGO_FIELD]: file, revision } = form;
  if (file === undefined || typeof file === "string") return await refuse("missing");
  const logo = toLogo(file.bytes);
  if ("problem" in logo) return await refuse(logo.problem === "tooLarge" ? "tooLarge" : "invalid");
  return await save(c, call, {
    settings: { logo: formatLogo(logo.bytes) },
    revision: typeof revision === "string" ? revision : null,
    done: texts.saved,
  });
}

/** Reads the fields of the logo's form; undefined if it is too large. */
async function readLogoForm(c: HttpContext, call: RequestContext): Promise<Awaited<ReturnType<typeof readFormBytes>> | undefined> {
  return await respondToRefusals(
    async () => {
      using body = await readBody(c, { caller: call, maxBytes: MAX_LOGO_FORM_BYTES });
      return await readFormBytes(body.bytes, c.req.header("content-type") ?? "");
    },
    { BODY_TOO_LARGE: () => undefined },
  );
}

interface Change {
  readonly settings: Readonly<Record<string, string | null>>;
  /** The revision that the reader has seen. */
  readonly revision: string | null;
  /** The text that confirms the change. */
  readonly done: string;
  readonly entered?: ReadonlyMap<RunTimeName, string>;
}

async function save(c: HttpContext, call: RequestContext, { settings, revision, done, entered }: Change): Promise<Response> {
  const { siteSettings: texts } = pageContext(c).texts;
  const known = Number(revision);
  const sent = [...Object.keys(settings), ...(entered?.keys() ?? [])];
  return await respondToRefusals(
    async () => {
      await operations.updateSettings(c.env.ctx, call, { settings, revision: Number.isSafeInteger(known) ? known : 0 });
      return await respondSettings(c, call, { done, sent });
    },
    {
      VALIDATION_FAILED: (refusal) => respondSettings(c, call, { entered, sent, problems: findInvalid(settings) }, refusal),
      CONFLICT: (refusal) => {
        const { setting } = refusal.fields;
        const problems = new Map(setting === undefined ? [] : [[setting.name, "changed" as const]]);
        return respondSettings(c, call, { entered, sent, problems, problem: texts.changedMeanwhile }, refusal);
      },
    },
  );
}

const readEntered = (form: URLSearchParams): ReadonlyMap<RunTimeName, string> =>
  new Map(RUN_TIME_NAMES.flatMap((name) => (form.has(enteredField(name)) ? [[name, form.get(enteredField(name))?.trim() ?? ""]] : [])));

const findInvalid = (settings: Change["settings"]): ReadonlyMap<string, SettingProblem> =>
  new Map(
    RUN_TIME_NAMES.flatMap((name) => {
      const text = Object.hasOwn(settings, name) ? settings[name] : null;
      return text != null && "problem" in parseRunTimeValue(name, text) ? [[name, "invalid" as const]] : [];
    }),
  );

/** Returns the site with the entered branding, without invalid and fixed values. */
function toPreview(c: HttpContext, entered: ReadonlyMap<RunTimeName, string>): Site {
  const { ctx } = c.env;
  const { logo } = c.env.branding();
  return toSite(ctx, { ...ctx.settings.loaded.withStored(entered).branding, logo: ctx.config.branding.logo }, logo?.path);
}

const readSearch = (c: HttpContext): SettingSearch => ({
  text: c.req.query("q")?.trim().slice(0, MAX_SEARCH_CHARACTERS) ?? "",
  isChangedOnly: c.req.query("show") === "changed",
});

type Outcome = Pick<SiteSettingsPageProps, "entered" | "problems" | "done" | "problem" | "sent"> & { readonly site?: Site };

async function respondSettings(c: HttpContext, call: RequestContext, { site, ...outcome }: Outcome, refusal?: AppError): Promise<Response> {
  const view = await operations.getSettings(c.env.ctx, call, {});
  // The branding may have changed since the request began.
  const page = { ...pageContext(c), site: site ?? c.env.branding().site };
  const html = renderSiteSettingsPage(page, { ...toPageSettings(view), search: readSearch(c), ...outcome });
  return await respondPage(c, { html, refusal });
}
