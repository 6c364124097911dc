/** Concurrent deliveries per process: one mail server, and one thread for documents, serve all. */
export const deliveriesAtOnce = 4;
export const deliveryWorkflowType = 'delivery';
