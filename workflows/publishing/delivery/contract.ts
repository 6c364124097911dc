export interface DeliveryInput {
  organizationId: string;
  deliveryId: string;
}

export type DeliveryEnd = 'delivered' | 'failed' | 'uncertain';

/** The state of a delivery after an attempt, as stored in its row. */
export type DeliveryAttempt = { status: DeliveryEnd } | { status: 'pending'; retryAfterMs: number };

/** Activities on the agent queue: they render documents, talk to mail servers, and store files. */
export interface DeliveryAgentActivities {
  /** One attempt, unless the delivery has ended. */
  attemptDelivery(input: DeliveryInput): Promise<DeliveryAttempt>;
}

/** Activities on the control queue: short, database only. */
export interface DeliveryControlActivities {
  /** Ends a delivery whose attempts could not be made. */
  giveUpDelivery(input: DeliveryInput): Promise<{ status: DeliveryEnd }>;
}
