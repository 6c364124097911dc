export type OutgoingReason = 'url' | 'resolve' | 'address_refused' | 'too_large';

/**
 * Why a request was not sent, or its answer was cut off. The message is shown to people and contains no
 * resolved address.
 */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError';
  readonly reason: OutgoingReason;

  constructor(reason: OutgoingReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
