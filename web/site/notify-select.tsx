/** @jsxImportSource preact */
import type { NotifyTexts } from "./texts/en.ts";

/** The notices that an account gets of shares and requests without their own choice. */
export interface NoticeChoices {
  readonly downloaded: boolean;
  readonly arrived: boolean;
  readonly expiring: boolean;
}

export const NO_NOTICES: NoticeChoices = { downloaded: false, arrived: false, expiring: false };

const KINDS = ["downloaded", "arrived", "expiring"] as const;

/** Lists the chosen kinds in an attribute of the page, for its scripts. */
export const listNoticeChoices = (choices: NoticeChoices): string => KINDS.filter((kind) => choices[kind]).join(" ");

/** Reads the attribute that `listNoticeChoices` writes. */
export function readNoticeChoices(list = ""): NoticeChoices {
  const [downloaded, arrived, expiring] = KINDS.map((kind) => list.split(" ").includes(kind));
  return { downloaded: downloaded === true, arrived: arrived === true, expiring: expiring === true };
}

/** Describes what "As in your settings" means for a share now. */
export function describeShareNotices({ effects }: Pick<NotifyTexts, "effects">, { downloaded, expiring }: NoticeChoices): string {
  if (downloaded) return expiring ? effects.both : effects.downloaded;
  return expiring ? effects.expiring : effects.none;
}

export interface NotifySelectProps {
  readonly texts: NotifyTexts;
  readonly id: string;
  /** The setting of the share; null for the account's settings (notices, "Kinds"). */
  readonly notify: boolean | null;
  readonly describedBy: string;
  onChange?(notify: boolean | null): void;
}

/** Renders the choice of the notices that the owner of a share gets about it. In a form, it is the publish field `notify`, empty for null. */
export function NotifySelect({ texts, id, notify, describedBy, onChange }: NotifySelectProps) {
  const chosen = String(notify ?? "");
  return (
    <select
      id={id}
      name="notify"
      // In a form, a value here would reset the reader's choice at the next rendering.
      value={onChange && chosen}
      aria-describedby={describedBy}
      onChange={onChange && (({ currentTarget: { value } }) => onChange(value === "" ? null : value === "true"))}
    >
      {(["", "true", "false"] as const).map((value) => (
        <option key={value} value={value} selected={value === chosen}>
          {texts.choices[value]}
        </option>
      ))}
    </select>
  );
}
