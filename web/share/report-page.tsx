/** @jsxImportSource preact */
import { MAX_REPORT_DETAILS } from "../../src/contract/scalars.ts";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { FileName, FileTile } from "../site/file-name.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";

type Field = "reason" | "details" | "email";

export interface ReportPageProps {
  readonly shareUrl: string;
  /** The single file of the share; undefined for a shipment, and if the share cannot be opened. */
  readonly file?: { readonly name: string; readonly sizeBytes: number } | undefined;
  /** The action of the form, which is the path of this page. */
  readonly path: string;
  /** The entered values, if the form is shown again because of `problem`. */
  readonly entered?: Readonly<Partial<Record<Field, string>>>;
  readonly problem?: ReportProblem | undefined;
}

/** The reason why a report was refused: an invalid field, or too many reports from one address. */
export type ReportProblem = { readonly field: Field } | { readonly tryAgainInMinutes: number };

/** Renders the form that reports a share to the administrator. */
export function renderReportPage(page: PageContext, { shareUrl, file, path, entered = {}, problem }: ReportPageProps): string {
  const texts = page.texts.report;
  const invalid = (field: Field) => problem !== undefined && "field" in problem && problem.field === field;
  const describe = (field: Field) => invalid(field) && { "aria-invalid": "true" as const, "aria-describedby": "problem", autofocus: true };
  return renderDocument(page, {
    title: texts.title,
    main: { "data-state": "report" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{texts.title}</h1>
          <p class="quiet">{texts.intro}</p>
        </div>
        {file === undefined ? null : (
          <div class="file small">
            <FileTile name={file.name} />
            <p class="name">
              <FileName name={file.name} />
              <span class="quiet block">{formatSize(file.sizeBytes, page.language)}</span>
            </p>
          </div>
        )}
        <p class="quiet">
          {texts.link}: <a href={shareUrl}>{shareUrl}</a>
        </p>
        <form class="form" method="post" action={path}>
          {problem === undefined ? null : (
            <p class="problem" id="problem" role="alert">
              {"field" in problem ? texts.problems[problem.field] : texts.tooMany(problem.tryAgainInMinutes)}
            </p>
          )}
          <fieldset aria-describedby={invalid("reason") ? "problem" : undefined}>
            <legend>{texts.reason}</legend>
            {Object.entries(texts.reasons).map(([reason, label]) => (
              <label key={reason} class="option">
                <input type="radio" name="reason" value={reason} required checked={entered.reason === reason} />
                {label}
              </label>
            ))}
          </fieldset>
          <label class="field">
            <span>
              {texts.details} <span class="quiet">{texts.optional}</span>
            </span>
            <textarea name="details" rows={4} maxLength={MAX_REPORT_DETAILS} {...describe("details")}>
              {entered.details}
            </textarea>
          </label>
          <label class="field">
            <span>
              {texts.email} <span class="quiet">{texts.emailUse}</span>
            </span>
            <input type="email" name="email" maxLength={254} autocomplete="email" value={entered.email} {...describe("email")} />
          </label>
          <button class="button" type="submit">
            {texts.send}
          </button>
        </form>
      </section>
    ),
  });
}
