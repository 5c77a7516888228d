/** The page of a deletion link. */
export const deletion = {
  question: { file: "Delete this file?", shipment: "Delete this shipment and all its files?" },
  consequence: "Its link stops working for everyone. You cannot undo this.",
  submit: "Delete permanently",
};

export type DeletionTexts = typeof deletion;
