/** @jsxImportSource preact */
import { visibleText } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { AUDIT_LOG_PATH } from "../paths.ts";
import type { AuditSearch, TIMES } from "./audit-search.ts";

export interface AuditFiltersProps {
  readonly page: PageContext;
  readonly search: AuditSearch;
  /** The people who can be chosen. */
  readonly actors: readonly { readonly id: string; readonly name: string }[];
}

interface Option {
  readonly value: string;
  readonly text: string;
}

const DAYS = ["since", "until"] as const;

/** Renders the choices of the search. Values from links that are not among the choices are shown as a further choice. */
export function AuditFilters({ page, search, actors }: AuditFiltersProps) {
  const { auditLog: texts } = page.texts;
  const people = actors.map(({ id, name }) => ({ value: id, text: visibleText(name) }));
  const hasMore = search.since !== undefined || search.until !== undefined || search.subject !== undefined;
  return (
    <form class="audit-filters" method="get" action={AUDIT_LOG_PATH}>
      <Choice
        name="actor"
        label={texts.who}
        chosen={search.actor}
        options={[
          { value: "", text: texts.anyone },
          { value: "command_line", text: texts.commandLineOption },
          { value: "system", text: texts.serverOption },
          ...people,
        ]}
      />
      <Choice
        name="action"
        label={texts.kind}
        chosen={search.action}
        options={[{ value: "", text: texts.anything }, ...Object.entries(texts.groups).map(([value, text]) => ({ value, text }))]}
      />
      <Choice
        name="time"
        label={texts.time}
        chosen={search.time}
        options={[
          { value: "", text: texts.times.all },
          ...(["1d", "7d", "30d", "90d"] as const satisfies readonly (keyof typeof TIMES)[]).map((value) => ({
            value,
            text: texts.times[value],
          })),
        ]}
      />
      <button class="button small" type="submit">
        {texts.show}
      </button>
      <details class="audit-more" open={hasMore}>
        <summary>{texts.more}</summary>
        <div class="audit-more-fields">
          {DAYS.map((name) => (
            <label key={name} class="field">
              <span>{texts.days[name]}</span>
              <input type="date" name={name} value={search[name] ?? ""} />
            </label>
          ))}
          <label class="field">
            <span>{texts.subject}</span>
            <input type="text" name="subject" value={search.subject ?? ""} maxLength={254} autocomplete="off" spellcheck={false} />
          </label>
        </div>
      </details>
    </form>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly chosen?: string | undefined;
  readonly options: readonly Option[];
}

function Choice({ name, label, chosen = "", options }: ChoiceProps) {
  const all = options.some(({ value }) => value === chosen) ? options : [...options, { value: chosen, text: visibleText(chosen) }];
  return (
    <div class="field">
      <label htmlFor={`audit-${name}`}>{label}</label>
      <select id={`audit-${name}`} name={name}>
        {all.map(({ value, text }) => (
          <option key={value} value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
