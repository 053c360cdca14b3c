"""The studies people ask for, and the statistics they rest on."""
