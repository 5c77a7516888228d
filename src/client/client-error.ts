import { AppError, type AppErrorOptions, type ErrorCode } from "../errors.ts";

/**
 * What the user of the client can do about an error, with the facts that the words need. The entry point words it, because the options, commands and
 * fields that it names are its own.
 */
export type Advice =
  | { readonly kind: "signIn"; readonly server: string; readonly profile?: string }
  | { readonly kind: "signInAtAddress"; readonly siteUrl: string }
  | { readonly kind: "passKey" }
  | { readonly kind: "unlockKeyring" }
  | { readonly kind: "createProfile" }
  | { readonly kind: "replaceProfile"; readonly profile: string; readonly isForced: boolean }
  | { readonly kind: "forceSignOut" }
  | { readonly kind: "listFolders" }
  | { readonly kind: "listFolder"; readonly folderId: string }
  | { readonly kind: "findId" }
  | { readonly kind: "passClaimToken" }
  | { readonly kind: "giveTitle" }
  | { readonly kind: "finishUpload"; readonly shortId: string }
  | { readonly kind: "buy"; readonly link: string }
  | { readonly kind: "buyAgain" }
  | { readonly kind: "passCode" }
  | { readonly kind: "passDecryptionKey" }
  | { readonly kind: "decrypt" }
  | { readonly kind: "replace" }
  | { readonly kind: "replaceOrRename" }
  | { readonly kind: "moveOrReplace" }
  | { readonly kind: "rename" }
  | { readonly kind: "moveOrRename" }
  | { readonly kind: "finishOtherDownload" }
  | { readonly kind: "finishDownload"; readonly path: string }
  | { readonly kind: "chooseOneFile" }
  | { readonly kind: "followLinks" }
  | { readonly kind: "nameFolders" }
  | { readonly kind: "sendAsOne" }
  | { readonly kind: "sendInput" }
  | { readonly kind: "spoolParts" }
  | { readonly kind: "spoolAndRepeat" };

export interface ClientErrorOptions extends AppErrorOptions {
  readonly advice: readonly Advice[];
}

/** An error with advice as data. Its message only says what is wrong. */
export class ClientError extends AppError {
  readonly advice: readonly Advice[];

  constructor(code: ErrorCode, problem: string, { advice, ...options }: ClientErrorOptions) {
    super(code, problem, options);
    this.advice = advice;
  }
}

/** Returns an error with more advice, and with its former code, message and fields. */
export const addAdvice = (error: AppError, advice: Advice): ClientError =>
  new ClientError(error.code, error.message, {
    fields: error.fields,
    advice: [...(error instanceof ClientError ? error.advice : []), advice],
    cause: error,
  });

/** Returns an error with its advice in the words of an entry point, and any other error unchanged. Advice without words is omitted. */
export function wordAdvice(error: AppError, word: (advice: Advice) => string | undefined): AppError {
  if (!(error instanceof ClientError)) return error;
  const { code, fields, cause, retryAfterSeconds } = error;
  const message = [error.message, ...error.advice.flatMap((advice) => word(advice) ?? [])].join(" ");
  const issues = fields.issues?.map((issue) => (issue.message === error.message ? { ...issue, message } : issue));
  return new AppError(code, message, {
    fields: { ...fields, ...(issues && { issues }) },
    cause,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
