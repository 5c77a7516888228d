import type { z } from "zod";
import { agentsContract } from "./agents.ts";
import { delegationsContract } from "./delegations.ts";
import { filesContract } from "./files.ts";
import { foldersContract } from "./folders.ts";
import { importsContract } from "./imports.ts";
import { keysContract } from "./keys.ts";
import { listingContract } from "./listing.ts";
import type { OperationDefinition } from "./operation.ts";
import { ownershipContract } from "./ownership.ts";
import { sellingContract } from "./selling.ts";
import { sharesContract } from "./shares.ts";
import { systemContract } from "./system.ts";
import { unlockContract } from "./unlock.ts";
import { uploadsContract } from "./uploads.ts";
import { webhooksContract } from "./webhooks.ts";

/** Every operation of the service; all transports, the OpenAPI document and the typed client derive from it. */
export const contract = {
  ...filesContract,
  ...uploadsContract,
  ...importsContract,
  ...sharesContract,
  ...ownershipContract,
  ...unlockContract,
  ...delegationsContract,
  ...webhooksContract,
  ...listingContract,
  ...foldersContract,
  ...keysContract,
  ...sellingContract,
  ...agentsContract,
  ...systemContract,
} as const;

export type OperationName = keyof typeof contract;
export type Input<Name extends OperationName> = z.infer<(typeof contract)[Name]["input"]>;
/** What a caller may send, before defaults and conversions. */
export type SentInput<Name extends OperationName> = z.input<(typeof contract)[Name]["input"]>;
export type Output<Name extends OperationName> = z.infer<(typeof contract)[Name]["output"]>;

/** The contract as a list, for whoever walks it. */
export const operations: ReadonlyArray<readonly [OperationName, OperationDefinition]> = Object.entries(
  contract,
) as unknown as ReadonlyArray<readonly [OperationName, OperationDefinition]>;
