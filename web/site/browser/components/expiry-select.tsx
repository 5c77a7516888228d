/** @jsxImportSource preact */

import { useRef, useState } from "preact/hooks";
import { expiry as texts } from "#texts/site";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../src/lib/text/duration.ts";
import { formatRelative } from "../../format.ts";
import { date, language } from "./format.ts";

const CHOICES_MS = [HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 90 * DAY_MS];
/** The shortest time until a share expires. */
const SHORTEST_MS = 5 * MINUTE_MS;
const OTHER = "other";

export interface ExpirySelectProps {
  readonly id: string;
  readonly "aria-describedby"?: string;
  /** ISO time; null if the share never expires. */
  readonly expiresAt: string | null;
  readonly latestExpiresAt: string;
  /** The time that is being saved. */
  readonly saving: string | null | undefined;
  onSave(expiresAt: string): void;
}

/** Renders the choice of a share's expiry: after a usual time, as late as possible, or at any time between. */
export function ExpirySelect({ id, expiresAt, latestExpiresAt, saving, onSave, ...described }: ExpirySelectProps) {
  const [isOther, setOther] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const now = Date.now();
  const latestMs = Date.parse(latestExpiresAt);
  const choices = CHOICES_MS.filter((durationMs) => now + durationMs < latestMs);
  const choose = (value: string): void => {
    setOther(value === OTHER);
    if (value !== "" && value !== OTHER) onSave(value);
  };
  const saveOther = (): void => {
    const input = field.current;
    if (!input || input.value === "" || !input.reportValidity()) return;
    setOther(false);
    onSave(new Date(Math.min(Date.parse(input.value), latestMs)).toISOString());
  };
  return (
    <>
      <select id={id} {...described} value={saving ?? (isOther ? OTHER : "")} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{expiresAt === null ? texts.never : date(expiresAt)}</option>
        {saving ? <option value={saving}>{date(saving)}</option> : null}
        {choices.map((durationMs) => (
          <option key={durationMs} value={new Date(now + durationMs).toISOString()}>
            {formatRelative(durationMs, 0, language)}
          </option>
        ))}
        {expiresAt === latestExpiresAt ? null : <option value={latestExpiresAt}>{texts.latest(date(latestExpiresAt))}</option>}
        <option value={OTHER}>{texts.other}</option>
      </select>
      {isOther ? (
        <span class="expiry-other">
          <input
            ref={field}
            type="datetime-local"
            aria-label={texts.otherLabel}
            required
            min={toLocal(now + SHORTEST_MS)}
            max={toLocal(latestMs)}
            defaultValue={toLocal(expiresAt === null ? latestMs : Date.parse(expiresAt))}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              saveOther();
            }}
          />
          <button class="button small" type="button" onClick={saveOther}>
            {texts.set}
          </button>
        </span>
      ) : null}
    </>
  );
}

/** Formats a time in the device's zone for a field, in whole minutes. */
const toLocal = (timeMs: number): string => new Date(timeMs - new Date(timeMs).getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
