/** @jsxImportSource preact */

import type { PageContext } from "../../site/page-context.ts";
import { PageForm, TextField } from "../../site/page-form.tsx";

/** The values of a webhook's form, also of a refused one. */
export interface WebhookFields {
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
}

export interface WebhookProblem {
  readonly field: "url" | "events" | "description" | undefined;
  readonly text: string;
}

export interface WebhookFormProps {
  readonly page: PageContext;
  /** The path to which the form is sent. */
  readonly path: string;
  readonly action: string;
  readonly submit: string;
  readonly fields: WebhookFields;
  readonly problem: WebhookProblem | undefined;
}

/** Renders the form of a new webhook, or of the settings of an existing one. */
export function WebhookForm({ page, path, action, submit, fields, problem }: WebhookFormProps) {
  const { webhooks: texts } = page.texts;
  return (
    <PageForm
      action={path}
      submit={submit}
      problem={problem?.text}
      isOfForm={problem?.field === undefined || problem.field === "events"}
      savesChanges={action === "change" && problem === undefined}
    >
      <input type="hidden" name="action" value={action} />
      <TextField
        name="url"
        label={texts.url}
        hint={texts.urlHint}
        type="url"
        autocomplete="off"
        maxLength={2048}
        value={fields.url}
        isWrong={problem?.field === "url"}
      />
      <fieldset>
        <legend>{texts.events}</legend>
        {Object.entries(texts.eventTexts).map(([event, text]) => (
          <label key={event} class="check">
            <input type="checkbox" name="events" value={event} checked={fields.events.includes(event)} />
            <code>{event}</code>
            <span class="quiet">{text}</span>
          </label>
        ))}
      </fieldset>
      <TextField
        name="description"
        label={texts.description}
        hint={texts.descriptionHint}
        type="text"
        autocomplete="off"
        isOptional
        maxLength={200}
        value={fields.description}
        isWrong={problem?.field === "description"}
      />
    </PageForm>
  );
}
