/** What a client declares of asking its person. */
interface Elicitation {
  readonly form?: unknown;
  readonly url?: unknown;
}

/** Whether a client asks its person by forms: also if it names no mode. */
export const hasForms = (elicitation: Elicitation | undefined): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
