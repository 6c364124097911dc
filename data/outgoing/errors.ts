export type OutgoingReason = 'url' | 'resolve' | 'address_refused' | 'too_large';

/**
 * Why a request did not go out, or its answer was cut off. The message is for people, and names no address
 * that was found.
 */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError';
  readonly reason: OutgoingReason;

  constructor(reason: OutgoingReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
