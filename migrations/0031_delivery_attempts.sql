-- The attempt that a delivery belongs to: one that was overtaken by another neither sends nor says how it came out.
ALTER TABLE deliveries ADD COLUMN attempt_id text;
