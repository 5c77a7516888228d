/** @jsxImportSource preact */
import { formatDate } from "../../site/format.ts";
import { LockIcon } from "../../site/icons.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { isChanged } from "./find-settings.ts";
import { enteredField, fieldValue, RESET_FORM, type SettingProblem, type SiteSettingView, shownField, valueText } from "./site-setting.ts";

export interface SettingFieldProps {
  readonly page: PageContext;
  readonly setting: SiteSettingView;
  /** The entered value, if it is not saved. */
  readonly entered?: string | undefined;
  readonly problem?: SettingProblem | undefined;
}

/** Renders a setting with a sentence about its effect, and the source of its value. */
export function SettingField(props: SettingFieldProps) {
  const { page, setting } = props;
  const texts = page.texts.siteSettings.settings[setting.text];
  const id = `about-${setting.name}`;
  if (setting.choices !== null) return <Choice {...props} />;
  return (
    <div class="setting">
      <div class="setting-about">
        <label htmlFor={enteredField(setting.name)}>{texts.name}</label>
        <Mark {...props} />
        <span class="quiet block" id={id}>
          {texts.effect}
        </span>
      </div>
      <div class="setting-control">
        <Value {...props} about={id} />
        <SettingSource {...props} />
      </div>
    </div>
  );
}

/** Marks a value that is not the default. */
const Mark = ({ page, setting }: SettingFieldProps) =>
  isChanged(setting) ? <span class="setting-mark">{page.texts.siteSettings.isChanged}</span> : null;

/** Renders a limit of one tier, in a row with the limits of the other tiers. */
export function LimitField({ tier, ...props }: SettingFieldProps & { readonly tier: string }) {
  const { page, setting } = props;
  const { name } = page.texts.siteSettings.settings[setting.text];
  return (
    <div class={isChanged(setting) ? "limit-field changed" : "limit-field"}>
      <label class="field" htmlFor={enteredField(setting.name)}>
        <span class="quiet limit-tier">
          <span class="unseen">{name}: </span>
          {tier}
        </span>
        <Value {...props} about={`about-${setting.text}`} />
      </label>
      <SettingSource {...props} isShort />
    </div>
  );
}

function Value({ page, setting, entered, problem, about }: SettingFieldProps & { readonly about: string }) {
  const { siteSettings: texts } = page.texts;
  if (setting.fixedBy !== null)
    return (
      <output class="setting-fixed" id={enteredField(setting.name)}>
        {setting.value === null ? texts.none : valueText(page, setting, setting.value)}
      </output>
    );
  const shown = fieldValue(page, setting);
  return (
    <>
      <input type="hidden" name={shownField(setting.name)} value={shown} />
      <input
        class={setting.kind === "color" ? "setting-color" : undefined}
        id={enteredField(setting.name)}
        type={(setting.kind === "color" ? "color" : "text") as "text"}
        name={enteredField(setting.name)}
        value={entered ?? shown}
        maxLength={setting.kind === "color" ? undefined : 2000}
        inputMode={setting.kind === "count" ? "numeric" : undefined}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        autofocus={problem !== undefined}
        aria-invalid={problem === undefined ? undefined : "true"}
        aria-describedby={problem === undefined ? about : `${about} problem-${setting.name}`}
      />
    </>
  );
}

function Choice({ page, setting, entered, problem }: SettingFieldProps) {
  const { siteSettings: texts } = page.texts;
  const { name, effect } = texts.settings[setting.text];
  const shown = fieldValue(page, setting);
  return (
    <div class="setting" role="radiogroup" aria-labelledby={`name-${setting.name}`} aria-describedby={`about-${setting.name}`}>
      <div class="setting-about">
        <span class="setting-name" id={`name-${setting.name}`}>
          {name}
        </span>
        <Mark page={page} setting={setting} />
        <span class="quiet block" id={`about-${setting.name}`}>
          {effect}
        </span>
      </div>
      <div class="setting-control">
        {setting.fixedBy === null ? (
          <div class="setting-choices">
            <input type="hidden" name={shownField(setting.name)} value={shown} />
            {setting.choices?.map((choice) => (
              <label key={choice} class="option">
                <input type="radio" name={enteredField(setting.name)} value={choice} checked={choice === (entered ?? shown)} />
                <span>{texts.choices[choice]}</span>
              </label>
            ))}
          </div>
        ) : (
          <output class="setting-fixed">{valueText(page, setting, shown)}</output>
        )}
        <SettingSource page={page} setting={setting} problem={problem} />
      </div>
    </div>
  );
}

/** Describes the problem of an entered value. */
function problemText(page: PageContext, setting: SiteSettingView, problem: SettingProblem): string {
  const { siteSettings: texts } = page.texts;
  const { kind, value } = setting;
  if (problem === "invalid") return texts.problems[kind];
  if (problem !== "changed") return texts.logo[problem];
  if (kind === "image") return texts.logo.changed;
  return texts.inForce(value === null ? texts.none : valueText(page, setting, value));
}

/** Renders the problem or the source of the value, with a button that resets it to the default. */
export function SettingSource({ page, setting, problem, isShort = false }: SettingFieldProps & { readonly isShort?: boolean }) {
  const { siteSettings: texts } = page.texts;
  if (problem !== undefined)
    return (
      <p class="quiet field-error" id={`problem-${setting.name}`}>
        {problemText(page, setting, problem)}
      </p>
    );
  if (setting.fixedBy !== null)
    return (
      <p class="setting-source quiet">
        <LockIcon />
        {isShort ? texts.fixedShort(setting.fixedBy) : texts.fixedBy(setting.fixedBy)}
      </p>
    );
  if (setting.source === "default") return null;
  const time = setting.changedAt === null ? "" : formatDate(Date.parse(setting.changedAt), page);
  return (
    <p class="setting-source quiet">
      {isShort ? <span title={time}>{texts.here}</span> : texts.setHere(time)}
      <button class="link" type="submit" form={RESET_FORM} name="reset" value={setting.name}>
        {setting.default === null ? texts.resetToNone : texts.reset(valueText(page, setting, setting.default))}
        <span class="unseen">: {texts.settings[setting.text].name}</span>
      </button>
    </p>
  );
}
