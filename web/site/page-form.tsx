/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";

export interface PageFormProps {
  /** The path to which the form is sent. */
  readonly action: string;
  readonly submit: string;
  /** The reason why the entered values are refused. */
  readonly problem: string | undefined;
  /** Whether the problem concerns the form instead of a field, so that the problem gets the focus. */
  readonly isOfForm?: boolean;
  /** The look of the button; `plain` if it is not the main action of the page. */
  readonly tone?: "danger" | "plain";
  /** Whether the form shows saved values, so that a script disables the button until one of them is changed. */
  readonly savesChanges?: boolean;
  readonly children?: ComponentChildren;
}

/** Renders a form with the problem above its fields. */
export function PageForm({ action, submit, problem, isOfForm = false, tone, savesChanges = false, children }: PageFormProps) {
  return (
    <form class="form" method="post" action={action} data-once="" data-unchanged={savesChanges ? "" : undefined}>
      {problem === undefined ? null : (
        <p class="problem" id="problem" role="alert" {...(isOfForm && { tabIndex: -1, autofocus: true })}>
          {problem}
        </p>
      )}
      {children}
      <button class={tone === undefined ? "button" : `button ${tone}`} type="submit">
        {submit}
      </button>
    </form>
  );
}

export interface TextFieldProps {
  readonly name: string;
  readonly label: string;
  readonly type: "email" | "password" | "text" | "url";
  readonly autocomplete: string;
  readonly hint?: string;
  readonly value?: string | undefined;
  readonly minLength?: number;
  readonly maxLength: number;
  readonly isOptional?: boolean;
  readonly readOnly?: boolean;
  /** Whether the field has the focus when the page opens. */
  readonly isFirst?: boolean;
  /** Whether the form's problem concerns this field. */
  readonly isWrong?: boolean;
}

/** Renders a labelled line of text. A script adds a button to a password that shows it. */
export function TextField({ name, label, type, hint, isOptional = false, isFirst = false, isWrong = false, ...input }: TextFieldProps) {
  const described = [isWrong ? "problem" : undefined, hint === undefined ? undefined : `${name}-hint`].filter((id) => id !== undefined);
  const field = (
    <input
      id={type === "password" ? name : undefined}
      name={name}
      type={type as "text"}
      required={!isOptional}
      autocapitalize={input.autocomplete === "name" ? "words" : "none"}
      spellcheck={false}
      autofocus={isWrong || isFirst}
      aria-invalid={isWrong ? "true" : undefined}
      aria-describedby={described.length === 0 ? undefined : described.join(" ")}
      {...input}
    />
  );
  const note =
    hint === undefined ? null : (
      <span class="quiet" id={`${name}-hint`}>
        {hint}
      </span>
    );
  // The button must not be a part of the label.
  if (type === "password")
    return (
      <div class="field">
        <label for={name}>{label}</label>
        {note}
        <span class="password-field" data-password="">
          {field}
        </span>
      </div>
    );
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is inside.
    <label class="field">
      <span>{label}</span>
      {note}
      {field}
    </label>
  );
}
