/** The client's declaration about questions to its person. */
interface Elicitation {
  readonly form?: unknown;
  readonly url?: unknown;
}

/** Whether a client asks its person by forms. A client that names no mode does. */
export const hasForms = (elicitation: Elicitation | undefined): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
