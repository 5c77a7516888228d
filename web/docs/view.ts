/** The content of the documentation. Texts in English come from the contract and may have `code` in backticks. */
export interface DocsView {
  readonly siteUrl: string;
  readonly apiUrl: string;
  readonly groups: readonly DocsGroup[];
  /** All error codes, by HTTP status. */
  readonly errors: readonly { readonly status: number; readonly codes: readonly string[] }[];
  /** The members of an error's body. */
  readonly errorFields: readonly DocsField[];
}

/** The operations of a tag. */
export interface DocsGroup {
  readonly name: string;
  /** The last segment of the page's path. */
  readonly slug: string;
  readonly operations: readonly DocsOperation[];
}

export interface DocsOperation {
  /** The `operationId`, which is also the anchor. */
  readonly id: string;
  readonly method: string;
  /** The path below the API's URL; for byte routes below the site's URL. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly access: DocsAccess;
  readonly inputs: readonly DocsInput[];
  readonly output: DocsOutput;
  readonly errors: readonly DocsStatus[];
  /** A command for a shell. */
  readonly curl: string;
}

export interface DocsStatus {
  readonly status: number;
  readonly description: string;
}

export interface DocsAccess {
  readonly key: "none" | "optional" | "required";
  readonly scope?: string | undefined;
}

export interface DocsInput {
  readonly kind: "path" | "query" | "header" | "json" | "multipart";
  readonly fields: readonly DocsField[];
  /** Fields of which at least one must be sent. */
  readonly needsOneOf?: readonly string[] | undefined;
}

export interface DocsOutput {
  readonly status: number;
  readonly description?: string | undefined;
  /** The envelope of the response. `events`: the fields belong to each event. */
  readonly envelope: "data" | "merged" | "file" | "events" | "none";
  readonly fields: readonly DocsField[];
  readonly example?: string | undefined;
  /** Other responses that are not errors. */
  readonly others: readonly DocsStatus[];
}

export interface DocsField {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
  /** The limits, such as `at most 120 characters`. */
  readonly limits: readonly string[];
  /** The possible values, if they are listed. */
  readonly values: readonly string[];
  readonly fields: readonly DocsField[];
}
