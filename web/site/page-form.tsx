/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";

export interface PageFormProps {
  /** Path that it is sent to. */
  readonly action: string;
  readonly submit: string;
  /** Why what was entered is refused. */
  readonly problem: string | undefined;
  /** Whether the problem is of no field, so that it gets the focus in place of one. */
  readonly isOfForm?: boolean;
  readonly tone?: "danger";
  readonly children?: ComponentChildren;
}

/** A form with the problem above its fields. */
export function PageForm({ action, submit, problem, isOfForm = false, tone, children }: PageFormProps) {
  return (
    <form class="form" method="post" action={action}>
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
  /** Whether the form's problem is about this field. */
  readonly isWrong?: boolean;
}

/** A labelled line of text. */
export function TextField({ name, label, type, hint, isOptional = false, isWrong = false, ...input }: TextFieldProps) {
  const described = [isWrong ? "problem" : undefined, hint === undefined ? undefined : `${name}-hint`].filter((id) => id !== undefined);
  return (
    <label class="field">
      <span>{label}</span>
      {hint === undefined ? null : (
        <span class="quiet" id={`${name}-hint`}>
          {hint}
        </span>
      )}
      <input
        name={name}
        type={type as "text"}
        required={!isOptional}
        autocapitalize={input.autocomplete === "name" ? "words" : "none"}
        spellcheck={false}
        autofocus={isWrong}
        aria-invalid={isWrong ? "true" : undefined}
        aria-describedby={described.length === 0 ? undefined : described.join(" ")}
        {...input}
      />
    </label>
  );
}
