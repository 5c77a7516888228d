import type { GrowingShipment } from "../records/shipment-records.ts";

/** The destination of a command's files: a shipment, or a submission to a request. Its functions reject with the server's error. */
export interface Destination {
  /** Opens a new destination. The same `idempotencyKey` opens the same one again. */
  open(idempotencyKey: string): Promise<GrowingShipment>;
  /** Finds the shipment that an earlier run opened at `createdAt` (ISO time), or that was named. Undefined if it accepts no more files. */
  find(shipment: GrowingShipment, createdAt: string | undefined): Promise<FoundShipment | undefined>;
  /** Deletes a file of the shipment. */
  remove(shipment: GrowingShipment, fileId: string): Promise<void>;
  /** Returns the fields with which a file joins the shipment. */
  joining(shipment: GrowingShipment): Readonly<Record<string, string>>;
}

/** The server's description of a shipment that already has files. */
export interface FoundShipment {
  /** The files; empty if they cannot be listed. */
  readonly files?: readonly { readonly id: string; readonly relativePath?: string | null }[] | null | undefined;
  /** Lists the IDs of the files. Undefined if they cannot be known, or if downloads end files. */
  listIds(): Promise<ReadonlySet<string> | undefined>;
}
