/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { FilesTexts } from "./texts/en.ts";

export type ShareSettingName = keyof FilesTexts["fields"];

/** Returns the IDs of a setting's field, and of the sentence that describes its effect. */
export const settingIds = (name: string): { readonly id: string; readonly "aria-describedby": string } => ({
  id: `setting-${name}`,
  "aria-describedby": `setting-${name}-effect`,
});

interface SettingProps {
  readonly texts: FilesTexts;
  readonly name: ShareSettingName;
  /** The result of the last change. */
  readonly outcome?: ComponentChildren;
  /** Another sentence about the effect. */
  readonly note?: string | undefined;
}

/** Renders a setting of a share with a sentence about its effect. */
export function ShareSettingField({ texts, name, outcome, note, children }: SettingProps & { readonly children: ComponentChildren }) {
  const ids = settingIds(name);
  return (
    <div class="files-setting">
      <label for={ids.id}>{texts.fields[name]}</label>
      {outcome}
      {children}
      <p class="quiet" id={ids["aria-describedby"]}>
        {note === undefined ? texts.effects[name] : `${texts.effects[name]} ${note}`}
      </p>
    </div>
  );
}

export interface SwitchProps extends SettingProps {
  /** The label in place of the setting's name. */
  readonly label?: string | undefined;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  onChange(isOn: boolean): void;
}

/** Renders a setting that is on or off. */
export function Switch({ texts, name, label, outcome, isOn, isDisabled, onChange }: SwitchProps) {
  const ids = settingIds(name);
  return (
    <div class="files-setting files-switch">
      <input
        {...ids}
        type="checkbox"
        name={name}
        checked={isOn}
        disabled={isDisabled}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.checked);
          // The switch shows the server's state until the state has changed.
          currentTarget.checked = isOn;
        }}
      />
      <label for={ids.id}>{label ?? texts.fields[name]}</label>
      {outcome}
      <p class="quiet" id={ids["aria-describedby"]}>
        {texts.effects[name]}
      </p>
    </div>
  );
}
