import type { z } from "zod";
import type { Enveloped } from "../contract/envelope.ts";
import type { OperationDefinition } from "../contract/operation.ts";
import { agentsContract, keysContract } from "./accounts/contract.ts";
import { accountContract, takedownContract } from "./administration/contract.ts";
import { adminFilesContract } from "./administration/files-contract.ts";
import { adminJobsContract } from "./administration/jobs-contract.ts";
import { reviewContract } from "./administration/reports-contract.ts";
import { usersContract } from "./administration/users-contract.ts";
import { auditLogContract } from "./audit-log/contract.ts";
import { billingContract } from "./billing/contract.ts";
import { downloadsContract } from "./downloads/contract.ts";
import { filesContract } from "./files/contract.ts";
import { foldersContract } from "./files/folders-contract.ts";
import { listingContract } from "./files/listing-contract.ts";
import { importsContract } from "./imports/contract.ts";
import { noticesContract } from "./notices/contract.ts";
import { applicationsContract } from "./oauth/contract.ts";
import { purchasesContract } from "./purchases/contract.ts";
import { recipientsContract } from "./recipients/contract.ts";
import { reportsContract } from "./reports/contract.ts";
import { requestsContract } from "./requests/contract.ts";
import { blocklistContract } from "./scanning/contract.ts";
import { sellingContract } from "./selling/contract.ts";
import { settingsContract } from "./settings/contract.ts";
import { ownershipContract, sharesContract, shipmentsContract } from "./shares/contract.ts";
import { shareListContract } from "./shares/listing-contract.ts";
import { unlockContract } from "./shares/unlock-contract.ts";
import { connectionContract } from "./sign-in/connection-contract.ts";
import { signInContract } from "./sign-in/contract.ts";
import { emailContract } from "./sign-in/email-contract.ts";
import { invitesContract } from "./sign-in/invites-contract.ts";
import { passkeyContract } from "./sign-in/passkey-contract.ts";
import { totpContract } from "./sign-in/totp-contract.ts";
import { systemContract } from "./system/contract.ts";
import { overviewContract } from "./system/overview-contract.ts";
import { uploadsContract } from "./uploads/contract.ts";
import { delegationsContract } from "./uploads/delegation-contract.ts";
import { webhooksContract } from "./webhooks/contract.ts";

/**
 * Every operation of the service. Routes, the OpenAPI document and the typed client derive from it. Routes are matched in this order:
 * `/files/run/{runId}` comes before `/files/{fileId}/download-events`.
 */
export const contract = {
  ...uploadsContract,
  ...delegationsContract,
  ...importsContract,
  ...shipmentsContract,
  ...shareListContract,
  ...sharesContract,
  ...recipientsContract,
  ...unlockContract,
  ...listingContract,
  ...downloadsContract,
  ...ownershipContract,
  ...filesContract,
  ...foldersContract,
  ...requestsContract,
  ...reportsContract,
  ...webhooksContract,
  ...noticesContract,
  ...keysContract,
  ...accountContract,
  ...takedownContract,
  ...reviewContract,
  ...adminFilesContract,
  ...adminJobsContract,
  ...blocklistContract,
  ...signInContract,
  ...emailContract,
  ...totpContract,
  ...passkeyContract,
  ...connectionContract,
  ...applicationsContract,
  ...sellingContract,
  ...purchasesContract,
  ...billingContract,
  ...agentsContract,
  ...systemContract,
  ...auditLogContract,
  ...usersContract,
  ...overviewContract,
  ...settingsContract,
  ...invitesContract,
} as const;

export type OperationName = keyof typeof contract;
export type Input<Name extends OperationName> = z.infer<(typeof contract)[Name]["input"]>;
/** The input that a caller may send, before defaults and conversions. */
export type RequestInput<Name extends OperationName> = z.input<(typeof contract)[Name]["input"]>;
export type Output<Name extends OperationName> = z.infer<(typeof contract)[Name]["output"]>;
/** Method and path of an operation, such as `POST /files/move`. */
export type RouteOf<Name extends OperationName> = `${(typeof contract)[Name]["method"]} ${(typeof contract)[Name]["path"]}`;
/** The operation that a method and a path call. */
export type OperationAt<Route extends RouteOf<OperationName>> = {
  [Name in OperationName]: Route extends RouteOf<Name> ? Name : never;
}[OperationName];
/** The body of a response: the output in its envelope. */
export type ResponseOf<Name extends OperationName> = Enveloped<Output<Name>, NonNullable<(typeof contract)[Name]["envelope"]>>;

/** Returns the definition of an operation that is known at run time only. */
export const definitionOf = (name: OperationName): OperationDefinition => contract[name] as unknown as OperationDefinition;

/** The contract as a list of names and definitions. */
export const operationDefinitions: ReadonlyArray<readonly [OperationName, OperationDefinition]> = Object.entries(
  contract,
) as unknown as ReadonlyArray<readonly [OperationName, OperationDefinition]>;
