/** @jsxImportSource preact */
import { formatDate } from "../site/format.ts";
import { LockIcon } from "../site/icons.tsx";
import type { PageContext } from "../site/page-context.ts";
import { enteredField, fieldValue, RESET_FORM, type SettingProblem, type SiteSettingView, shownField, textKeyOf } from "./site-setting.ts";

export interface SettingFieldProps {
  readonly page: PageContext;
  readonly setting: SiteSettingView;
  /** What the reader entered before, if it is not saved. */
  readonly entered?: string | undefined;
  readonly problem?: SettingProblem | undefined;
}

/** A setting with a sentence of its effect, and where its value comes from. */
export function SettingField(props: SettingFieldProps) {
  const { page, setting } = props;
  const { names, effects } = page.texts.siteSettings;
  const key = textKeyOf(setting.name);
  const id = `about-${setting.name}`;
  if (setting.choices !== null) return <Choice {...props} />;
  return (
    <div class="setting">
      <label class="field" htmlFor={enteredField(setting.name)}>
        <span>{names[key]}</span>
        <span class="quiet" id={id}>
          {effects[key]}
        </span>
        <Value {...props} about={id} />
      </label>
      <SettingSource {...props} />
    </div>
  );
}

/** A limit of one tier, in a row with those of the others. */
export function LimitField({ tier, ...props }: SettingFieldProps & { readonly tier: string }) {
  const { page, setting } = props;
  const name = page.texts.siteSettings.names[textKeyOf(setting.name)];
  return (
    <div class="setting">
      <label class="field" htmlFor={enteredField(setting.name)}>
        <span class="quiet">
          <span class="unseen">{name}: </span>
          {tier}
        </span>
        <Value {...props} about={`about-${textKeyOf(setting.name)}`} />
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
        {setting.value ?? texts.none}
      </output>
    );
  const shown = fieldValue(setting);
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
  const { names, effects, choices } = page.texts.siteSettings;
  const key = textKeyOf(setting.name);
  const shown = fieldValue(setting);
  return (
    <fieldset class="setting">
      <legend>
        {names[key]}
        <span class="quiet block">{effects[key]}</span>
      </legend>
      {setting.fixedBy === null ? (
        <>
          <input type="hidden" name={shownField(setting.name)} value={shown} />
          {setting.choices?.map((choice) => (
            <label key={choice} class="option">
              <input type="radio" name={enteredField(setting.name)} value={choice} checked={choice === (entered ?? shown)} />
              <span>{choices[choice as keyof typeof choices]}</span>
            </label>
          ))}
        </>
      ) : (
        <output class="setting-fixed">{choices[shown as keyof typeof choices] ?? shown}</output>
      )}
      <SettingSource page={page} setting={setting} problem={problem} />
    </fieldset>
  );
}

/** What is wrong with a value that was entered. */
function problemText(page: PageContext, { kind, value }: SiteSettingView, problem: SettingProblem): string {
  const { problems, logo, inForce, none, choices } = page.texts.siteSettings;
  if (problem === "invalid") return problems[kind];
  if (problem !== "changed") return logo[problem];
  if (kind === "image") return logo.changed;
  return inForce(value === null ? none : (choices[value as keyof typeof choices] ?? value));
}

/** What is wrong with the value, or where it comes from, with the way back to the default. */
export function SettingSource({ page, setting, problem, isShort = false }: SettingFieldProps & { readonly isShort?: boolean }) {
  const { siteSettings: texts } = page.texts;
  const toText = (value: string): string => texts.choices[value as keyof typeof texts.choices] ?? value;
  if (problem !== undefined)
    return (
      <p class="problem" id={`problem-${setting.name}`}>
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
  if (setting.source === "default") return <p class="setting-source quiet">{texts.isDefault}</p>;
  const time = setting.changedAt === null ? "" : formatDate(Date.parse(setting.changedAt), page.language);
  return (
    <p class="setting-source quiet">
      {isShort ? <span title={time}>{texts.here}</span> : texts.setHere(time)}
      <button class="link" type="submit" form={RESET_FORM} name="reset" value={setting.name}>
        {setting.default === null ? texts.resetToNone : texts.reset(toText(setting.default))}
        <span class="unseen">: {texts.names[textKeyOf(setting.name)]}</span>
      </button>
    </p>
  );
}
