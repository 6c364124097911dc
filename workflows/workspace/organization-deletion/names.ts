export const organizationDeletionWorkflowType = 'organizationDeletion';
/** The time of the deletion has changed, or it was called off. */
export const deletionChangedSignal = 'deletionChanged';
