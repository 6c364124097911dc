-- How many mails an organization has sent, by the hour: deliveries go with their schedule, this stays.
CREATE TABLE mail_counts (
  organization_id text NOT NULL,
  hour timestamptz NOT NULL,
  sent integer NOT NULL,
  PRIMARY KEY (organization_id, hour)
);
CALL isolate_organizations('mail_counts');
