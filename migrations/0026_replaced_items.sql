-- An item that is replaced is a new version of its row, with an entry of its own in each index that takes it. The check of a
-- unique one was a third of what that costs, and nothing looks an item up by its id; an undo asks for what a compaction archived.
ALTER TABLE "lcm_context_items" DROP CONSTRAINT "lcm_context_items_session_id_id_pk";--> statement-breakpoint
CREATE INDEX "lcm_context_items_archived" ON "lcm_context_items" USING btree ("session_id","archived_by");--> statement-breakpoint
-- For those who publish their tables to another server; nothing is written for it where nobody does.
ALTER TABLE "lcm_context_items" REPLICA IDENTITY FULL;
