-- The address of the service that this folder was downloaded from; the convar radio_url
-- wins over it.
Radio.address = ''
