/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { type SaveNote, SaveOutcome } from "../../../site/browser/components/use-saves.tsx";

export interface SettingProps {
  /** Distinguishes the setting from the others of the page. */
  readonly name: string;
  readonly label: string;
  /** The result of the last change. */
  readonly note: SaveNote | undefined;
  /** A sentence about the effect. */
  readonly effect: ComponentChildren;
}

/** Returns the IDs of a setting's control, and of the sentence that describes its effect. */
export const settingIds = (name: string): { readonly id: string; readonly "aria-describedby": string } => ({
  id: `edit-${name}`,
  "aria-describedby": `edit-${name}-effect`,
});

/** Renders a setting of a share with a sentence about its effect. */
export function Setting({ name, label, note, effect, isWide, children }: SettingProps & SettingContent) {
  const ids = settingIds(name);
  return (
    <div class={isWide ? "share-setting wide" : "share-setting"}>
      <label for={ids.id}>{label}</label>
      <SaveOutcome class="sender-note" note={note} />
      {children}
      <p class="quiet" id={ids["aria-describedby"]}>
        {effect}
      </p>
    </div>
  );
}

interface SettingContent {
  /** Whether the setting has the whole width where others have half of it. */
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

export interface SwitchProps extends SettingProps {
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  onChange(isOn: boolean): void;
  /** What follows the effect. */
  readonly children?: ComponentChildren;
}

/** Renders a setting that is on or off. */
export function Switch({ name, label, note, effect, isOn, isDisabled, onChange, children }: SwitchProps) {
  const ids = settingIds(name);
  return (
    <div class="share-setting share-switch wide">
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
      <label for={ids.id}>{label}</label>
      <SaveOutcome class="sender-note" note={note} />
      <p class="quiet" id={ids["aria-describedby"]}>
        {effect}
      </p>
      {children}
    </div>
  );
}
